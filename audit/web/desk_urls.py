"""Addresses of the desk, below /desk/."""

from django.urls import path

from audit.web import desk_books, desk_bulk, desk_letters, desk_pages

PDF = {"form": "pdf"}

urlpatterns = [
    path("", desk_pages.home, name="desk"),
    path("queue/", desk_pages.queue, name="queue"),
    path("next", desk_pages.take_next, name="take-next"),
    path("hands/<key:hand>/", desk_pages.hand_case, name="hand-case"),
    path("cases/<key:case>/", desk_pages.case_page, name="case"),
    path("cases/<key:case>/act", desk_pages.act, name="case-act"),
    path("cases/<key:case>/history/", desk_pages.history, name="case-history"),
    path("cases/<key:case>/file/", desk_letters.case_file, name="case-file"),
    path("cases/<key:case>/file.pdf", desk_letters.case_file, PDF, name="case-file-pdf"),
    path("cases/<key:case>/letter/", desk_letters.case_letter, name="case-letter"),
    path("cases/<key:case>/letter.pdf", desk_letters.case_letter, PDF, name="case-letter-pdf"),
    path("bulk/", desk_bulk.bulk_preview, name="bulk-preview"),
    path("bulk/do", desk_bulk.bulk_act, name="bulk-act"),
    path("bulk/<key:bulk>/", desk_bulk.bulk_page, name="bulk"),
    path("bulk/<key:bulk>/undo", desk_bulk.bulk_undo, name="bulk-undo"),
    path("claims/", desk_books.claim_list, name="claims"),
    path("claims/new/", desk_books.claim_new, name="claim-new"),
    path("claims/<key:claim>/", desk_books.claim_page, name="claim"),
    path("claims/<key:claim>/withdraw", desk_books.claim_withdraw, name="claim-withdraw"),
    path("claims/<key:claim>/letter/", desk_letters.claim_letter, name="claim-letter"),
    path("claims/<key:claim>/letter.pdf", desk_letters.claim_letter, PDF, name="claim-letter-pdf"),
    path("remedies/", desk_books.remedy_list, name="remedies"),
    path("remedies/<key:remedy>/", desk_books.remedy_page, name="remedy"),
    path("remedies/<key:remedy>/act", desk_books.remedy_act, name="remedy-act"),
    path("remedies/<key:remedy>/remedy.csv", desk_books.remedy_csv, name="remedy-csv"),
    path("remedies/<key:remedy>/remedy.json", desk_books.remedy_json, name="remedy-json"),
]
