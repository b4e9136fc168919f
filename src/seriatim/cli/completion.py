"""`ser completion`: the script that teaches a shell to complete `ser`."""

import click
from click.shell_completion import get_completion_class


@click.command("completion", short_help="Print a completion script for a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a script that completes commands and options of `ser` in a shell.

    \b
    To enable it, add a line to the start-up file of the shell:
      bash   ~/.bashrc    eval "$(ser completion bash)"
      zsh    ~/.zshrc     eval "$(ser completion zsh)"
      fish   ~/.config/fish/config.fish
                          ser completion fish | source
    """
    completion = get_completion_class(shell)
    assert completion is not None, "click knows these three"
    root = context.find_root().command
    click.echo(completion(root, {}, "ser", "_SER_COMPLETE").source())
