#compdef tilescope
# Completion of tilescope for zsh: options, their values, and the files that it opens.
_tilescope() {
  _arguments \
    '--at[go where a link leads]:link: ' \
    '--compare[compare two to eight reports with the first]' \
    '--every-tab[with --gallery, a screenshot of every tab]' \
    '--follow[show a trace while it is written]:file:_files' \
    '--gallery[write a screenshot of every view]:folder:_files -/' \
    '(-h --help)'{-h,--help}'[print the options]' \
    '--new-instance[open another window]' \
    '--size[size of the window]:WIDTHxHEIGHT: ' \
    '--theme[colours]:theme:(light dark)' \
    '(-v --version)'{-v,--version}'[print the version]' \
    '--view[begin with this view]:view:(home summary insights memory liveness program operations trace host query compare run sweep)' \
    '*:report:_files'
}
if [[ ${funcstack[1]} == _tilescope ]]; then # read by zsh where it looks for completions, or sourced
  _tilescope "$@"
else
  compdef _tilescope tilescope
fi
