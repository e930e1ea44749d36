// Lets files be dropped on the upload form, names those chosen and shows how much has been sent.
//
// Attaches to form[data-drop], which also has the words that are shown. Without this file the form is sent as any other.

const form = document.querySelector("form[data-drop]");
const input = form.querySelector("input[type=file]");
const chosen = form.querySelector("[data-chosen]");
const hint = form.querySelector("[data-drop-hint]");
const sent = form.querySelector("[data-sent]");
const button = form.querySelector("button");

function list() {
  chosen.replaceChildren(
    ...Array.from(input.files, (file) => {
      const item = document.createElement("li");
      const name = document.createElement("bdi");
      name.textContent = file.name;
      const size = file.size.toLocaleString("en");
      item.append(name, ` ${form.dataset.bytes.replace("{size}", size)}`);
      return item;
    }),
  );
}

hint.textContent = form.dataset.hint;
input.addEventListener("change", list);

for (const kind of ["dragenter", "dragover"]) {
  form.addEventListener(kind, (event) => {
    if (event.dataTransfer.types.includes("Files")) {
      event.preventDefault();
      form.classList.add("drop-over");
    }
  });
}
form.addEventListener("dragleave", (event) => {
  if (!form.contains(event.relatedTarget)) {
    form.classList.remove("drop-over");
  }
});
form.addEventListener("drop", (event) => {
  event.preventDefault();
  form.classList.remove("drop-over");
  if (event.dataTransfer.files.length) {
    input.files = event.dataTransfer.files;
    list();
    button.focus();
  }
});

const words = button.textContent;

function failed(sentence) {
  button.disabled = false;
  button.textContent = words;
  sent.hidden = true;
  hint.textContent = sentence;
  hint.setAttribute("role", "alert");
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  button.disabled = true;
  button.textContent = button.dataset.busy;
  sent.hidden = false;
  const request = new XMLHttpRequest();
  request.upload.addEventListener("progress", (now) => {
    if (now.lengthComputable) {
      sent.value = (100 * now.loaded) / now.total;
    }
  });
  request.addEventListener("load", () => {
    if (request.status === 201) {
      location.assign(request.getResponseHeader("Location"));
    } else {
      failed(form.dataset.refused);
    }
  });
  request.addEventListener("error", () => {
    failed(form.dataset.broken);
  });
  request.open("POST", form.action);
  request.setRequestHeader("X-Tilecourt-Script", "1");
  request.send(new FormData(form));
});
addEventListener("pageshow", () => {
  button.disabled = false;
  button.textContent = words;
  sent.hidden = true;
});
