"""Made-up trial records in the form of the register's API (version 2)."""

NUMBERS = (
    *("ACTRN12600000000001", "ISRCTN00000001", "jRCT1030000001"),
    *("2019-000001-11", "UMIN000000001"),
)


def study_of(number: str, acronym: str | None = None) -> dict[str, object]:
    """A record; one with an acronym has everything that a record may say."""
    identity: dict[str, object] = {"nctId": number, "briefTitle": f"A study {number}"}
    if acronym is None:
        return {"protocolSection": {"identificationModule": identity}}
    identity |= {
        "acronym": acronym,
        "officialTitle": "Treatment Guided by a Test",
        "orgStudyIdInfo": {"id": "ORG-1"},
        "secondaryIdInfos": [{"id": n, "type": "REGISTRY"} for n in NUMBERS],
    }
    return {
        "protocolSection": {
            "identificationModule": identity,
            "statusModule": {
                "overallStatus": "ACTIVE_NOT_RECRUITING",
                "startDateStruct": {"date": "2015-08", "type": "ACTUAL"},
                "lastUpdatePostDateStruct": {"date": "2024-03-05", "type": "ACTUAL"},
            },
            "sponsorCollaboratorsModule": {
                "leadSponsor": {"name": "An Institute", "class": "OTHER"}
            },
            "descriptionModule": {"briefSummary": "Whether a test can guide care."},
            "conditionsModule": {
                "conditions": ["Colon Cancer", "Minimal Residual Disease"]
            },
            "designModule": {
                "studyType": "INTERVENTIONAL",
                "phases": ["PHASE2", "PHASE3"],
                "designInfo": {
                    "allocation": "RANDOMIZED",
                    "interventionModel": "PARALLEL",
                    "primaryPurpose": "TREATMENT",
                    "maskingInfo": {"masking": "NONE"},
                },
                "enrollmentInfo": {"count": 455, "type": "ACTUAL"},
            },
            "armsInterventionsModule": {
                "armGroups": [
                    {
                        "label": "Guided",
                        "type": "EXPERIMENTAL",
                        "description": "Treated by the result of the test.",
                    },
                    {"label": "Standard care", "type": "NO_INTERVENTION"},
                ],
                "interventions": [{"type": "DRUG", "name": "Capecitabine"}],
            },
            "outcomesModule": {
                "primaryOutcomes": [
                    {"measure": "Recurrence-free survival", "timeFrame": "2 years"}
                ],
                "secondaryOutcomes": [{"measure": "Overall survival"}],
            },
            "eligibilityModule": {"eligibilityCriteria": "* Stage II\n* Resected"},
        },
        "resultsSection": {
            "outcomeMeasuresModule": {
                "outcomeMeasures": [
                    {
                        "type": "PRIMARY",
                        "title": "Recurrence-free survival",
                        "timeFrame": "2 years",
                        "unitOfMeasure": "percent",
                        "dispersionType": "95% Confidence Interval",
                        "groups": [
                            {"id": "OG000", "title": "Guided"},
                            {"id": "OG001", "title": "Standard care"},
                        ],
                        "classes": [
                            {
                                "categories": [
                                    {
                                        "measurements": [
                                            {
                                                "groupId": "OG000",
                                                "value": "93.5",
                                                "lowerLimit": "90",
                                                "upperLimit": "96",
                                            },
                                            {"groupId": "OG001", "value": "92.4"},
                                        ]
                                    }
                                ]
                            }
                        ],
                    }
                ]
            }
        },
        "hasResults": True,
    }


def page_of(count: int) -> dict[str, object]:
    """A page of a search, the last one."""
    return {
        "totalCount": count,
        "studies": [study_of(f"NCT{n:08}") for n in range(1, count + 1)],
    }
