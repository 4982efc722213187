# fish completion for bailey: asks the program what can stand where. It is always the one of PATH that is asked, and not
# what was typed: a TAB behind ./bailey should not run what somebody has put there.
function __bailey_complete
    set -l words (commandline -opc)[2..-1]
    set -l current (commandline -ct)
    set -l prefix ''
    if string match -qr '^--[^=]+=' -- $current
        set prefix (string replace -r '=.*' '=' -- $current)
        set -a words (string replace -r '=.*' '' -- $current)
        set current (string replace -r '^[^=]*=' '' -- $current)
    end
    for line in (command bailey __complete $words (string replace -r '^~/' $HOME/ -- "$current") 2>/dev/null)
        switch $line
            case ':files'
                __bailey_paths $prefix $current
            case ':directories'
                __bailey_paths $prefix $current | string match -r '.*/(?:\t.*)?$'
            case ':programs'
                complete -C (string escape -- "$current")
            case ':command *'
                set -l first (math (string replace ':command ' '' -- $line) + 1)
                complete -C (string join ' ' -- (string escape -- $words[$first..-1]) "$current")
            case '*'
                echo -- $prefix$line
        end
    end
end

# What fish offers as files, behind what stands before them in the same word.
function __bailey_paths -a prefix current
    for path in (complete -C "'' $current")
        echo -- $prefix$path
    end
end

complete -c bailey -f -a '(__bailey_complete)'
