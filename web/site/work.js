// Starts work with buttons, and formats its figures.
"use strict";

// What was started last and has not ended, as an object that identifies it.
let running = null;

// Ends what runs, without a word.
function stop() {
  running = null;
  pool.cancel();
}

// Lets a button start something that takes time, and cancel it meanwhile. `act` gets a function that shows a fraction and a text, and
// resolves to a text, which is shown in `status`, as are errors. Returns a function that starts it with further arguments for `act`.
function starts(id, status, act) {
  const [button, label] = [byId(id), byId(id).textContent];
  const say = (text) => (byId(status).textContent = text);
  const progress = (fraction, text) => {
    button.style.setProperty("--done", `${100 * fraction}%`);
    say(text);
  };
  const start = async (...rest) => {
    stop();
    const job = (running = { button, status });
    document.querySelectorAll(".status").forEach((one) => (one.textContent = ""));
    const timer = setTimeout(() => {
      button.style.minWidth = `${button.offsetWidth}px`;
      button.textContent = "Cancel";
      button.classList.add("running");
    }, 200);
    let text;
    try {
      text = await act(progress, ...rest);
    } catch (error) {
      text = error instanceof Cancelled ? "Cancelled." : `Error: ${error.message}`;
    }
    clearTimeout(timer);
    button.textContent = label;
    button.classList.remove("running");
    if (job === running) running = null;
    else if (!running || running.status === status) return; // nobody asks what became of it
    say(text ?? "");
  };
  button.onclick = () => (running?.button === button ? pool.cancel() : start());
  return start;
}

const digits = (number) => number.toLocaleString("en", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });

function duration(seconds) {
  if (seconds < 1e-3) return `${digits(seconds * 1e6)} µs`;
  if (seconds < 1) return `${digits(seconds * 1000)} ms`;
  if (seconds <= 1000) return `${digits(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

// Formats an approximate number, as in 1.23 M.
function si(number) {
  const power = Math.max(0, Math.min(4, Math.floor(Math.log10(Math.max(number, 1)) / 3)));
  return `${digits(number / 1000 ** power)} ${["", "k", "M", "G", "T"][power]}`.trim();
}
