# shellcheck shell=bash
# bash completion for bailey: asks the program what can stand where. It is always the one of PATH that is asked, and not
# what was typed: a TAB behind ./bailey should not run what somebody has put there.
_bailey() {
        local value prefix rest=${COMP_LINE:0:COMP_POINT} word blank line i
        local -a words=() starts=()

        # bash splits words at = and :, too; put together again what no blank parts
        for ((i = 0; i <= COMP_CWORD; i++)); do
                blank=${rest%%[![:blank:]]*}
                rest=${rest#"$blank"}
                word=${COMP_WORDS[i]}
                if ((i == COMP_CWORD)); then word=$rest; fi
                if [[ $blank || $i == 0 ]]; then
                        words+=("$word")
                        starts+=("$i")
                else
                        words[-1]+=$word
                fi
                rest=${rest#"$word"}
        done
        if [[ ${words[-1]} == --*=* ]]; then words=("${words[@]::${#words[@]}-1}" "${words[-1]%%=*}" "${words[-1]#*=}"); fi
        words=("${words[@]/#\~\//$HOME/}")
        value=${words[-1]}
        prefix=${value%"$2"}
        COMPREPLY=()
        while IFS= read -r line; do
                case $line in
                :files) compopt -o default ;;
                :directories) compopt -o dirnames ;;
                :programs) mapfile -t COMPREPLY < <(compgen -c -- "$2") ;;
                ":command "*)
                        if declare -F _command_offset >/dev/null; then
                                _command_offset "${starts[${line#:command }+1]}"
                        else
                                compopt -o default
                        fi
                        ;;
                *)
                        line=${line%%$'\t'*}
                        if [[ $line == "$value"* ]]; then COMPREPLY+=("${line#"$prefix"}"); fi
                        if [[ $line == *= ]]; then compopt -o nospace; fi
                        ;;
                esac
        done < <(command bailey __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _bailey bailey
