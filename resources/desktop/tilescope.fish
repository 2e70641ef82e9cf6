# Completion of tilescope for fish: options, their values, and the files that it opens.
complete -c tilescope -l at -x -d 'go where a link leads'
complete -c tilescope -l compare -d 'compare two to eight reports with the first'
complete -c tilescope -l every-tab -d 'with --gallery, a screenshot of every tab'
complete -c tilescope -l follow -r -d 'show a trace while it is written'
complete -c tilescope -l gallery -x -a '(__fish_complete_directories)' -d 'write a screenshot of every view'
complete -c tilescope -s h -l help -d 'print the options'
complete -c tilescope -l new-instance -d 'open another window'
complete -c tilescope -l size -x -d 'size of the window, WIDTHxHEIGHT'
complete -c tilescope -l theme -x -a 'light dark' -d colours
complete -c tilescope -s v -l version -d 'print the version'
complete -c tilescope -l view -x -a 'home summary insights memory liveness program operations trace host query compare run sweep' -d 'begin with this view'
