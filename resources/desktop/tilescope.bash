# Completion of tilescope for bash: options, their values, and the files that it opens.
_tilescope() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  case $before in
    --theme) mapfile -t COMPREPLY < <(compgen -W 'light dark' -- "$word") ;;
    --view)
      mapfile -t COMPREPLY < <(compgen -W 'home summary insights memory liveness program operations trace host query compare run sweep' -- "$word")
      ;;
    --gallery) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    --at | --size) ;;
    *)
      if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--at --compare --every-tab --follow --gallery --help --new-instance --size --theme --version --view' -- "$word")
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
      fi
      ;;
  esac
}
complete -o filenames -F _tilescope tilescope
