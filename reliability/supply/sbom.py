"""`python -m supply.sbom WHEEL`: the bill of materials of a release, as CycloneDX 1.6, beside its wheel.

It names what the wheel declares to need, with all extras, in the versions that its tests ran with; the hashes
are those of the lock. The same wheel and lock give the same bytes: no time and no random number is in it.
"""

import json
import sys
import zipfile
from hashlib import sha256
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from supply.licences import licence, name_of
from supply.locked import LOCK, Pin, read_lock
from supply.needed import extras_of, needed, required

Json = dict[str, object]


def bill(wheel: Path, lock: dict[str, tuple[Pin, ...]]) -> Json:
    """The bill of a wheel, as JSON has it."""
    released = metadata_of(wheel)
    digest = sha256(wheel.read_bytes()).hexdigest()
    always = needed(released)
    everything = needed(released, ["", *extras_of(released)])
    root = component(released, [digest], "application")
    tree = {root["bom-ref"]: required(released, ["", *extras_of(released)])}
    parts = []
    for name, part in everything.items():
        hashes = [h for pin in lock[name] if pin.version == part.version for h in pin.hashes]
        described = component(part, hashes, "library")
        parts.append(described | {"scope": "required" if name in always else "optional"})
        tree[described["bom-ref"]] = required(part)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, digest)}",
        "version": 1,
        "metadata": {"component": root},
        "components": parts,
        "dependencies": [
            {
                "ref": ref,
                "dependsOn": sorted({purl(everything[name]) for name in names if name in everything}),
            }
            for ref, names in tree.items()
        ],
    }


def metadata_of(wheel: Path) -> Distribution:
    archive = zipfile.Path(wheel)
    (folder,) = (entry for entry in archive.iterdir() if entry.name.endswith(".dist-info"))
    return PathDistribution(folder)


def component(part: Distribution, hashes: list[str], kind: str) -> dict[str, object]:
    return {
        "type": kind,
        "bom-ref": purl(part),
        "name": name_of(part),
        "version": part.version,
        "purl": purl(part),
        "licenses": [{"expression": licence(part)}],
        "hashes": [{"alg": "SHA-256", "content": content} for content in hashes],
    }


def purl(part: Distribution) -> str:
    return f"pkg:pypi/{name_of(part)}@{part.version}"


def main() -> None:
    wheel = Path(sys.argv[1])
    text = json.dumps(bill(wheel, read_lock(LOCK.read_text("utf-8"))), indent=2) + "\n"
    written = wheel.with_name("-".join(wheel.name.split("-")[:2]) + ".cdx.json")
    written.write_text(text, "utf-8")
    sys.stdout.write(f"{written}\n")


if __name__ == "__main__":
    main()
