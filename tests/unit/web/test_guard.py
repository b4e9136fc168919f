"""Other sites get no answer, whichever way they come; and the page may load nothing from elsewhere."""

import httpx
import pytest

from testkit.running.web_clients import LOST_UPDATE, PORT, asked

QUESTION = {"name": "a.ser", "text": LOST_UPDATE}
HERE = f"127.0.0.1:{PORT}"


def status(path: str = "/api/about", question: dict[str, str] | None = None, **headers: str) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def work(client: httpx.AsyncClient) -> int:
        if question is None:
            return (await client.get(path, headers=named)).status_code
        return (await client.post(path, json=question, headers=named)).status_code

    return asked(work)


@pytest.mark.parametrize("host", [HERE, f"localhost:{PORT}", f"[::1]:{PORT}"])
def test_this_machine_is_answered(host: str) -> None:
    assert status(host=host) == 200
    assert status(host=host, origin=f"http://{host}", sec_fetch_site="same-origin") == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.nip.io:{PORT}", ""],
)
def test_names_that_lead_here_are_no_names_of_this_server(host: str) -> None:
    """DNS rebinding: the name of another site that points to this machine."""
    assert status(host=host) == 403


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", f"https://{HERE}", "http://127.0.0.1:1", f"http://localhost:{PORT}"],
)
def test_requests_from_other_origins_are_refused(origin: str) -> None:
    assert status("/api/check", QUESTION, origin=origin) == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_requests_of_other_sites_are_refused_even_without_an_origin(site: str) -> None:
    assert status(sec_fetch_site=site) == 403


def test_forms_of_other_sites_cannot_ask() -> None:
    async def work(client: httpx.AsyncClient) -> int:
        sent = await client.post("/api/check", content="{}", headers={"content-type": "text/plain"})
        return sent.status_code

    assert asked(work) == 415


def test_every_answer_forbids_to_load_or_send_anything_elsewhere() -> None:
    async def work(client: httpx.AsyncClient) -> list[httpx.Headers]:
        refused = await client.get("/api/about", headers={"host": "evil.example"})
        return [
            (await client.get("/api/about")).headers,
            (await client.get("/nothing")).headers,
            refused.headers,
        ]

    for headers in asked(work):
        policy = headers["content-security-policy"].split("; ")
        assert "default-src 'none'" in policy
        assert not [each for each in policy if "unsafe" in each or "*" in each or "http" in each]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
