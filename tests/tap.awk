# Reads what one suite printed (TAP) and says how it went: failures and skips, then one line of counts, and the same
# counts for the runner in the file `counts`.
# Variables: suite, status (its exit status), seconds (it took), processor (how many of them of processor time), errors (the file of its stderr), must_work, only (whether cases
# were to be chosen by name), counts.

# Lines that are no results belong to the failure before them, or to what comes next. Those of a pass are dropped.
function keep_pending(    i) {
        for (i = 1; i <= pending; i++)
                said[++lines] = held[i]
        pending = 0
}

function skip(what) {
        skipped++
        skips[skipped] = "skipped: " suite ": " what
}

# So says a suite that runs only some of its cases. With that, and no reason to skip, 1..0 is no skip: none has such a name.
/^# only / {
        chosen = 1
        next
}

/^1\.\.[0-9]+/ {
        planned = 1
        plan += substr($1, 4)
        if ($1 == "1..0" && !(chosen && $2 == ""))
                skip(match(tolower($0), /# *skip */) ? substr($0, RSTART + RLENGTH) : "it has no tests")
        next
}

# Also with "not": cmocka 1.1 says "not ok 3 # SKIP name", and the reason is what the test printed before.
/^(not )?ok .*# *[Ss][Kk][Ii][Pp]/ {
        seen++
        sub(/^(not )?ok *[0-9]* *-? */, "")
        skip($0 (pending ? " " held[pending] : ""))
        pending = 0
        next
}

/^ok( |$)/ {
        seen++
        passed++
        if (after_failure)
                keep_pending()
        after_failure = pending = 0
        next
}

/^not ok( |$)/ {
        seen++
        failed++
        keep_pending()
        said[++lines] = $0
        after_failure = 1
        next
}

{
        held[++pending] = $0
}

END {
        if (!planned)
                problem = "no plan: it crashed or prints no TAP"
        else if (plan != seen)
                problem = plan " tests planned, " seen + 0 " ran"
        if (status != 0 && (problem || !failed))
                problem = problem (problem ? ", " : "") (status == 124 ? "timed out" : "exit status " status)
        if (problem)
                failed++
        if (problem || after_failure)
                keep_pending()
        for (i = lines > 200 ? lines - 199 : 1; i <= lines; i++)
                print "  " said[i]
        while (failed && (getline line < errors) > 0)
                print "  " line
        for (i = 1; i <= skipped; i++)
                print "  " skips[i]
        if (only && !chosen && seen)
                print "  " suite ": cannot choose cases, all were run"
        if (must_work && skipped) {
                problem = problem (problem ? ", " : "") "skips count as failures"
                failed += skipped
                skipped = 0
        }
        if (problem)
                problem = " (" problem ")"
        if (!only || seen || skipped || failed)
                print suite ": " passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped" problem ", " seconds " s, processor " processor " s"
        print passed + 0, failed + 0, skipped + 0 > counts
}
