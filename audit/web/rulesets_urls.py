"""Addresses of rulesets. One is addressed by the hash of its bytes, which no other has."""

from django.urls import path

from audit.web import rulesets, rulesets_force

urlpatterns = [
    path("", rulesets.ruleset_list, name="rulesets"),
    path("new", rulesets.ruleset_new, name="ruleset-new"),
    path("in-force", rulesets_force.force_page, name="rulesets-in-force"),
    path("<slug:sha256>/", rulesets.ruleset_page, name="ruleset"),
    path("<slug:sha256>/file", rulesets.ruleset_file, name="ruleset-file"),
    path(
        "<slug:sha256>/rehearsals/<key:reaudit>/", rulesets.rehearsal_page, name="ruleset-rehearsal"
    ),
    path(
        "<slug:sha256>/rehearsals/<key:reaudit>/progress",
        rulesets.rehearsal_progress,
        name="ruleset-rehearsal-progress",
    ),
    path(
        "<slug:sha256>/rehearsals/<key:reaudit>/act",
        rulesets.rehearsal_act,
        name="ruleset-rehearsal-act",
    ),
]
