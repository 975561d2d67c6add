"""The files that others deploy from: pinned, not root, without secrets, watched.

Nothing here needs a container engine; tests/deploy/test_tools.py asks the tools.
"""

import configparser
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.serving.serve import ENDING_S
from config import settings
from scripts.weaviate_build import VERSION

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
UNIT = ROOT / "deploy" / "groundrule.service"
PINNED = re.compile(r"[a-z0-9./-]+:v?\d+\.\d+(\.\d+)?(-[a-z-]+)?")
HEALTH = 9465
NAMES = {settings.name(field) for field in settings.Settings.model_fields}
NAMES |= {settings.SECRETS}


def compose() -> Mapping[str, Any]:
    """compose.yaml."""
    read: Mapping[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
    return read


def steps() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile with what they are given, lines joined."""
    text = DOCKERFILE.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    cut = [line.strip().partition(" ") for line in lines]
    return [(verb, given.strip()) for verb, _, given in cut]


def unit() -> Mapping[str, list[str]]:
    """What stands under [Service], every value of a name."""
    found: dict[str, list[str]] = {}
    section = UNIT.read_text(encoding="utf-8").split("[Service]")[1].split("[Install]")
    for line in section[0].splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def services() -> Iterator[tuple[str, Any]]:
    yield from compose()["services"].items()


def test_every_image_is_pinned_by_its_version_R_S4() -> None:
    images = [given.split()[0] for verb, given in steps() if verb == "FROM"]
    images += [service["image"] for _, service in services()]
    assert len(images) == 6
    for image in images:
        assert PINNED.fullmatch(image), image
    assert len({given.split()[0] for verb, given in steps() if verb == "FROM"}) == 1


def test_packages_of_the_image_are_checked_by_hash_R_S4() -> None:
    """Nothing is installed by name, piped from a network, or added from an address."""
    runs = " ".join(given for verb, given in steps() if verb == "RUN")
    assert runs.count("pip install") == runs.count("--require-hashes") == 2
    assert not re.search(r"\bapt|curl|wget|://", runs)
    assert "ADD" not in {verb for verb, _ in steps()}


def test_the_image_runs_as_nobody_special_and_is_watched() -> None:
    verbs = dict(steps())
    assert verbs["USER"] == "10001:10001"
    order = [verb for verb, _ in steps()]
    last = order.index("USER")
    assert "RUN" not in order[last:] and "COPY" not in order[last:]
    assert f"127.0.0.1:{HEALTH}/health" in verbs["HEALTHCHECK"]
    assert f"GROUNDRULE_HEALTH=127.0.0.1:{HEALTH}" in verbs["ENV"]
    assert verbs["STOPSIGNAL"] == "SIGTERM"


def test_the_image_holds_what_the_bot_imports_and_no_more() -> None:
    """Neither tests nor evaluation nor the checkout's history."""
    copied = [given.split() for verb, given in steps() if verb == "COPY"]
    own = {words[0] for words in copied if not words[0].startswith("--from")}
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = {line[1:] for line in ignored if line.startswith("!")}
    assert "*" in ignored
    assert own == {"LICENSE", "adapters", "bot", "config", "engine"} | {
        place for place in own if place.startswith("requirements/")
    }
    assert own - {place for place in own if "/" in place} <= let_in


def test_no_secret_stands_in_a_file_R_S1() -> None:
    """Tokens come as files that are in no commit and in no image."""
    said = compose()
    kept = {entry["file"] for entry in said["secrets"].values()}
    assert all(place.startswith("./secrets/") for place in kept)
    assert "/secrets/" in (ROOT / ".gitignore").read_text("utf-8").splitlines()
    for name, service in services():
        assert set(service.get("secrets", ())) <= set(said["secrets"]), name
        for variable, value in service.get("environment", {}).items():
            if re.search(r"KEYS?$|TOKEN|PASSWORD$|SECRET$", variable):
                assert re.fullmatch(r"(\$\{[A-Z_]+:\?\},?)+", value), variable
    for verb, given in steps():
        assert not re.search(r"TOKEN|PASSWORD|_KEY=", given), verb
    assert not re.search(r"(TOKEN|KEY|PASSWORD)=\S", UNIT.read_text(encoding="utf-8"))


def test_every_service_is_watched_and_holds_few_rights() -> None:
    for name, service in services():
        assert service.get("healthcheck") or name == "bot", name  # its image has one
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert all(str(p).startswith("127.0.0.1:") for p in service.get("ports", ()))
    bot = compose()["services"]["bot"]
    assert bot["read_only"] is True
    waited = {n: on["condition"] for n, on in bot["depends_on"].items()}
    assert waited == dict.fromkeys(("postgresql", "weaviate"), "service_healthy")


def test_only_settings_that_there_are_are_set() -> None:
    """In all three files; a secret's file is named as its variable."""
    bot = compose()["services"]["bot"]
    named = set(bot["environment"]) | set(bot["secrets"])
    named |= set(re.findall(r"(\w+)=", dict(steps())["ENV"]))
    named |= {value.partition("=")[0] for value in unit()["Environment"]}
    named |= {value.partition(":")[0] for value in unit()["LoadCredential"]}
    ours = {n for n in named if n.startswith(("GROUNDRULE_", "WEAVIATE_"))}
    assert ours <= NAMES, ours - NAMES
    for value in unit()["LoadCredential"]:
        name, _, file = value.partition(":")
        assert Path(file).name == name


def test_prometheus_watches_the_bot_by_the_rules_R_O4() -> None:
    folder = ROOT / "deploy" / "prometheus"
    read = yaml.safe_load((folder / "prometheus.yaml").read_text(encoding="utf-8"))
    assert [(folder / name).is_file() for name in read["rule_files"]] == [True]
    [job] = read["scrape_configs"]
    [target] = job["static_configs"][0]["targets"]
    host, _, port = target.partition(":")
    watched = compose()["services"][host]
    assert watched["environment"]["GROUNDRULE_HEALTH"] == f"0.0.0.0:{port}"
    assert watched["expose"] == [port]


def test_the_weaviate_server_is_the_one_that_is_tested() -> None:
    image = compose()["services"]["weaviate"]["image"]
    assert image == f"semitechnologies/weaviate:{VERSION.removeprefix('v')}"


@pytest.mark.parametrize(
    "option",
    ["NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectHome", "DynamicUser"],
)
def test_the_unit_gives_up_what_it_does_not_need(option: str) -> None:
    assert unit()[option] == ["yes"]


def test_the_unit_ends_the_bot_as_it_wants_to_be_ended() -> None:
    """SIGTERM for the serving process alone, and longer than it takes."""
    said = unit()
    assert said["KillMode"] == ["mixed"]
    assert int(said["TimeoutStopSec"][0]) > ENDING_S
    assert said["ProtectSystem"] == ["strict"]
    assert said["CapabilityBoundingSet"] == [""]
    bot = compose()["services"]["bot"]
    assert int(bot["stop_grace_period"].removesuffix("s")) > ENDING_S
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(UNIT, encoding="utf-8")
    assert parser.sections() == ["Unit", "Service", "Install"]
