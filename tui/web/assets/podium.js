// Prepares the page, then loads textual-serve's terminal: no key is lost at the start, the page shows why a session
// ended, downloads open no window, and an opened window cannot access this one.
"use strict";

const byId = (id) => document.getElementById(id);
const keysHere = () => document.querySelector(".xterm-helper-textarea")?.focus();

const scheme = () => (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");

window.WebSocket = class extends WebSocket {
  constructor(url, ...args) {
    super(`${url}&scheme=${scheme()}`, ...args);
    this.addEventListener("close", (event) => ended(event.reason));
  }

  send(data) {
    if (this.readyState === WebSocket.CONNECTING) {
      this.addEventListener("open", () => super.send(data), { once: true });
    } else if (this.readyState === WebSocket.OPEN) {
      super.send(data);
    }
  }
};

function ended(why) {
  byId("ended-why").textContent =
    why || "The connection was lost. What was saved is saved; what was being typed in a field is not.";
  byId("blocked").hidden = true;
  byId("ended").hidden = false;
  document.title = "Session ended · Podium";
  byId("again").focus();
}

const openWindow = window.open.bind(window);
window.open = (url, target) => {
  if (url === undefined) return openWindow();
  if (new URL(url, location).origin === location.origin && new URL(url).pathname.startsWith("/download/")) {
    const link = document.createElement("a");
    link.href = url;
    link.download = "";
    link.click();
    return null;
  }
  const opened = openWindow("", "_blank");
  byId("blocked").hidden = opened !== null;
  if (opened) {
    opened.opener = null;
    opened.location.href = url;
  } else {
    const link = byId("blocked").querySelector("a");
    link.href = link.textContent = url;
  }
  return opened;
};

addEventListener("load", async () => {
  byId("terminal").dataset.sessionWebsocketUrl = location.origin.replace(/^http/, "ws") + "/ws";
  // Cells are measured once, so the font must be loaded first.
  await Promise.all(["16px 'Roboto Mono'", "bold 16px 'Roboto Mono'"].map((font) => document.fonts.load(font)));
  const script = document.createElement("script");
  script.src = byId("terminal").dataset.script;
  script.onload = () => {
    window.onload();
    keysHere();
  };
  document.body.append(script);
});
addEventListener("focus", () => byId("ended").hidden && keysHere());
addEventListener("mouseup", (event) => event.target.closest("#blocked, #ended") || setTimeout(keysHere));
