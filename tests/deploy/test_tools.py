"""The files that others deploy from, as the tools that read them see them (R-O1).

A tool that is not here is named loudly: Debian has promtool in its package `prometheus`
and systemd-analyze in `systemd`.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from adapters.mail import Platform
from bot.health.families import HealthFamilies
from bot.health.state import read_health
from config.settings import Settings
from tests.bot.small import SmallApplication

ROOT = Path(__file__).resolve().parents[2]
WATCHED = ROOT / "deploy" / "prometheus"
pytestmark = pytest.mark.servers


def tool(name: str) -> str:
    """A program of this machine; a test that needs it skips loudly where it is not."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name.upper()} ABSENT: put it on the PATH")
    return found


def checked(*line: str, given: bytes | None = None) -> str:
    """What a tool says, which has to be content."""
    ran = subprocess.run(line, input=given, capture_output=True, check=False)
    said = (ran.stdout + ran.stderr).decode()
    assert ran.returncode == 0, said
    return said


def test_promtool_takes_the_rules_and_the_configuration_R_O4() -> None:
    promtool = tool("promtool")
    said = checked(promtool, "check", "rules", str(WATCHED / "alerts.yaml"))
    assert "SUCCESS" in said
    said = checked(promtool, "check", "config", str(WATCHED / "prometheus.yaml"))
    assert "1 rule files found" in said


def test_the_alerts_ring_when_they_should_R_O4(tmp_path: Path) -> None:
    """One draft that was turned down rings at once; none never does."""
    rules = tmp_path / "rules.yaml"
    shutil.copy(WATCHED / "alerts.yaml", rules)
    series = 'groundrule_citation_enforcement_failed_24h{pack="small"}'
    summary = "small: 1 drafts were turned down in 24 h"
    test = tmp_path / "test.yaml"
    test.write_text(
        f"""rule_files: [rules.yaml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - series: '{series}'
        values: '0 0 0 1 1'
    alert_rule_test:
      - eval_time: 2m
        alertname: GroundruleCitationEnforcementFailed
      - eval_time: 3m
        alertname: GroundruleCitationEnforcementFailed
        exp_alerts:
          - exp_labels: {{severity: critical, pack: small}}
            exp_annotations:
              summary: "{summary}"
              description: "A draft cited too little or said what no source says. \
Nothing of it was shown; look at the events `citation_enforcement_failed`."
""",
        encoding="utf-8",
    )
    checked(tool("promtool"), "test", "rules", str(test))


async def test_promtool_takes_the_metrics_R_O2(tmp_path: Path) -> None:
    """In the form and the names that Prometheus wants."""
    promtool = tool("promtool")
    async with SmallApplication(Settings(data=tmp_path / "data")) as application:
        found = await read_health(application, {Platform.SLACK: True})
    registry = CollectorRegistry()
    registry.register(HealthFamilies(found))
    checked(promtool, "check", "metrics", given=generate_latest(registry))


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    """Every option is known to it; the program it starts stands in for ours."""
    analyze = tool("systemd-analyze")
    unit = tmp_path / "groundrule.service"
    written = (ROOT / "deploy" / unit.name).read_text(encoding="utf-8")
    installed = "/opt/groundrule/.venv/bin/groundrule"
    assert installed in written
    unit.write_text(written.replace(installed, "/bin/true"), encoding="utf-8")
    said = checked(analyze, "verify", str(unit))
    assert "groundrule.service:" not in said
    said = checked(analyze, "security", "--offline=true", "--threshold=30", str(unit))
    assert "Overall exposure level" in said
