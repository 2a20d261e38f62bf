// For screen readers; runs with the terminal's script in which xterm.js has their mode on. xterm.js would read each cell
// as it is drawn, what lost the cursor first. This says what is selected, and leaves the lines in the page to be read.
"use strict";

(() => {
  const terminal = document.getElementById("terminal");
  const spoken = document.getElementById("spoken");
  let before = {};

  // xterm.js leaves these keys to the browser in this mode, which would go to another page or out of the terminal.
  terminal.addEventListener("keydown", (event) => /^(Tab|F\d+)$/.test(event.key) && event.preventDefault());

  const plain = (text) => text.replace(/[▌❯─━]/g, " ").replace(/\s+/g, " ").trim();

  // Podium keeps the cursor on what is selected, and xterm.js the field for keys at the cursor.
  function parts() {
    const lines = [...terminal.querySelectorAll(".xterm-accessibility-tree > *")].map((line) => line.textContent);
    const { top, left, width, height } = terminal.querySelector(".xterm-helper-textarea").style;
    const [x, y] = [parseFloat(left) / parseFloat(width), parseFloat(top) / parseFloat(height)].map(Math.round);
    const here = plain((lines[y] ?? "").slice(x).split(/[│┃▏]/)[0]);
    return {
      screen: plain((lines[0] ?? "").split("   ")[0]),
      dialog: plain(lines.join("\n").match(/[╭+][─-] (.+?) [─-]/)?.[1] ?? ""),
      here: here || plain(lines.find((line) => line.includes("❯"))?.split("❯")[1].split("│")[0] ?? ""),
      below: plain(lines.slice(-3, -1).filter((line) => !/[│┃▏─]/.test(line)).join(" ")),
    };
  }

  function speak() {
    terminal.querySelector(".live-region")?.remove();
    const now = parts();
    const words = Object.keys(now).filter((part) => now[part] && now[part] !== before[part]);
    if (words.length) spoken.textContent = words.map((part) => now[part]).join(". ");
    before = now;
  }

  let soon;
  new MutationObserver(() => {
    clearTimeout(soon);
    soon = setTimeout(speak, 40);
  }).observe(terminal, { subtree: true, childList: true, characterData: true });
})();
