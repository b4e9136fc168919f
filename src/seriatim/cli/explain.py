"""`ser explain`: what an error code means."""

from difflib import get_close_matches

import click

from seriatim.report.explain import explain, explained_codes


@click.command("explain")
@click.argument("code")
def command(code: str) -> None:
    """Explain an error CODE, such as SER006."""
    section = explain(f"SER{code}" if code.isdigit() else code)
    if section is None:
        digits = code.upper().removeprefix("SER")
        likely = f"SER{digits.zfill(3)}" if digits.isdigit() else code.upper()
        near = get_close_matches(likely, explained_codes(), cutoff=0.4)
        hint = f" Near it: {', '.join(near)}." if near else " Codes look like SER006."
        raise click.UsageError(f"there is no error code {code!r}.{hint}")
    click.echo(section, nl=False)
