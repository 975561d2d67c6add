"""A run for machines: SARIF for a code host's annotations, JUnit for a build server."""

from urllib.parse import quote, unquote_to_bytes
from xml.etree.ElementTree import Element

from adapters.inert import inert, one_line
from bot import junit_xml
from bot.inspection.summary import Run
from engine.inspection.records import Finding, Result, Status

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST = 5_000  # results of one run that a code host takes


def make_sarif(run: Run) -> dict[str, object]:
    """Collect every finding with its place, and a rule for each question or plugin."""
    findings = [found for each in run.ran.results for found in each.findings][:MOST]
    rules = {finding.rule: _make_rule(finding, run) for finding in findings}
    driver = {
        "name": "groundrule",
        "semanticVersion": run.loaded.pack.version,
        "rules": list(rules.values()),
    }
    places = list(rules)
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "automationDetails": {"id": f"groundrule/{run.loaded.pack.id}/"},
                "originalUriBaseIds": {"ROOT": {"description": _text("repository")}},
                "columnKind": "unicodeCodePoints",
                "results": [_make_result(f, places.index(f.rule)) for f in findings],
            }
        ],
    }


def _make_rule(finding: Finding, run: Run) -> dict[str, object]:
    asked = run.inquiry(finding.question)
    return {
        "id": finding.rule,
        "shortDescription": _text(asked.question),
        "fullDescription": _text(asked.why or asked.question),
        "defaultConfiguration": {"level": finding.severity},
    }


def _make_result(finding: Finding, rule: int) -> dict[str, object]:
    # A token is percent-encoded; an address encodes brackets, too.
    path = quote(unquote_to_bytes(finding.path), safe="/")
    place = {
        "artifactLocation": {"uri": path, "uriBaseId": "ROOT"},
        "region": {"startLine": finding.first, "endLine": finding.last},
    }
    return {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": finding.severity,
        "message": _text(finding.message),
        "locations": [{"physicalLocation": place}],
    }


def _text(text: str) -> dict[str, str]:
    return {"text": inert(text)}


def make_junit(run: Run) -> str:
    """Make a test of each question; one that was not started or judged is skipped."""
    tests = [_make_case(result) for result in run.ran.results]
    for name in run.ran.unstarted:
        made = junit_xml.make_case(name)
        made.append(
            junit_xml.make_result("skipped", "not started", "the run was aborted")
        )
        tests.append(made)
    return junit_xml.write_document([junit_xml.make_suite(run.loaded.pack.id, tests)])


def _make_case(result: Result) -> Element:
    place = {}
    if result.status is Status.FAILED and result.decided.shown:
        block = result.decided.shown[0]
        path = unquote_to_bytes(block.path).decode("utf-8", "replace")
        place = {"file": one_line(path), "line": str(block.first)}
    made = junit_xml.make_case(result.question, place)
    tags = {Status.FAILED: "failure", Status.ERROR: "error"}
    tags[Status.INCONCLUSIVE] = "error"
    if result.status is Status.UNJUDGED:
        why = f"{result.verdict}, and nothing is expected"
        made.append(junit_xml.make_result("skipped", why, result.answer))
    tag = tags.get(result.status)
    if tag is not None:
        made.append(junit_xml.make_result(tag, one_line(result.why), result.answer))
    return made
