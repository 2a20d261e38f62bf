"""``podium completion``, and the scripts that it prints. None of them evaluates a word of the line or an answer."""

from __future__ import annotations

import click

BASH = r"""# podium completion bash: eval "$(podium completion bash)" in ~/.bashrc
_podium() {
    COMPREPLY=()
    local reply
    while IFS= read -r reply; do
        if [[ $reply == $'\x1f' ]]; then compopt -o bashdefault -o default; else COMPREPLY+=("$reply"); fi
    done < <(command podium complete bash "$COMP_LINE" "$COMP_POINT" "$COMP_WORDBREAKS" 2>/dev/null </dev/null)
}
complete -o nosort -F _podium podium
"""

ZSH = r"""#compdef podium
# podium completion zsh: eval "$(podium completion zsh)" in ~/.zshrc, after compinit
_podium() {
    local -a replies
    replies=("${(@f)$(command podium complete zsh "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null </dev/null)}")
    replies=("${(@)replies:#}")
    if [[ $replies[1] == $'\x1f' ]]; then
        _files
    elif (( $#replies )); then
        compadd -V podium -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' -a -- replies ||
            compadd -U -V podium -a -- replies  # of other letters: “Straße” for “strasse”
    fi
}
compdef _podium podium
"""

FISH = r"""# podium completion fish: podium completion fish | source, in ~/.config/fish/config.fish
function __podium_replies
    set -l words (commandline -opc)
    set -l last (string unescape -- (commandline -ct) | string collect -a)
    set -l replies (command podium complete fish $words[2..] $last 2>/dev/null </dev/null)
    if test "$replies" = \x1f
        __fish_complete_path $last
    else
        string join -- \n $replies
    end
end
complete -c podium -k -f -a '(__podium_replies)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(SCRIPTS)))
def completion_(shell: str) -> None:
    """Print the completion script of a shell, for its start file: eval "$(podium completion bash)".

    It completes commands, options, and the names of projects, phases, people and cards, which it asks for each time.
    """
    print(SCRIPTS[shell], end="")
