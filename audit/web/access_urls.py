"""Addresses of accounts, one's own and those of others, and of the journal."""

from django.urls import path

from audit.web import accounts, journal, keys, own_account

urlpatterns = [
    path("account/", own_account.own_page, name="own-account"),
    path("account/password", own_account.own_password, name="own-password"),
    path("account/sign-out-everywhere", own_account.out_everywhere, name="out-everywhere"),
    path("account/second-step", own_account.second_step, name="second-step"),
    path(
        "account/second-step/picture.svg",
        own_account.second_step_picture,
        name="second-step-picture",
    ),
    path("account/second-step/codes", own_account.second_step_codes, name="second-step-codes"),
    path("account/second-step/remove", own_account.second_step_remove, name="second-step-remove"),
    path("accounts/", accounts.account_list, name="accounts"),
    path("accounts/accounts.csv", accounts.accounts_csv, name="accounts-csv"),
    path("accounts/new", accounts.account_new, name="account-new"),
    path("accounts/review", accounts.access_review, name="access-review"),
    path("accounts/keys/", keys.key_list, name="keys"),
    path("accounts/keys/revoke", keys.key_revoke, name="key-revoke"),
    path("accounts/<key:account>/", accounts.account_page, name="account"),
    path("accounts/<key:account>/act", accounts.account_act, name="account-act"),
    path("journal/", journal.journal_page, name="journal"),
    path("journal/visits/", journal.visit_list, name="visits"),
    path("journal/visits/<key:visit>/", journal.visit_page, name="visit"),
    path("journal/sign-ins/", journal.sign_in_list, name="sign-ins"),
    path("journal/reviews/", journal.log_reviews, name="log-reviews"),
]
