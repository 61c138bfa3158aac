// Starts work with buttons and fields, and formats its figures.
"use strict";

// Shows or hides an element. If it has the focus, another element gets that.
function show(element, isShown, heir) {
  const hadFocus = element.contains(document.activeElement);
  element.hidden = !isShown;
  if (hadFocus) queueMicrotask(() => element.hidden && heir.focus()); // the heir may still appear
}

// Calls a function when a size was typed, after a moment or at once when the field is left.
function onSize(input, act) {
  let timer;
  const after = (ms) => () => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  [input.oninput, input.onchange] = [after(600), after(0)];
}

// What the buttons of a view start: one thing at a time, on workers of its own.
class Work {
  pool = new Pool();
  running = null;

  // Ends what runs. Its button gets its label back, and its progress gives way to a text.
  stop(text = "") {
    const job = this.running;
    this.running = null;
    this.pool.cancel();
    job?.end(text);
  }

  // Lets a button start something that takes time, and cancel it meanwhile. `act` gets a function that shows a text, and throws if the
  // work was stopped. It resolves to a text, which is shown in `status`, as are errors. Returns a function that starts it
  // with further arguments for `act`.
  starts(button, status, act) {
    const label = button.textContent;
    const say = (text) => (status.textContent = text);
    const start = async (...rest) => {
      this.stop();
      const timer = setTimeout(() => {
        button.style.minWidth = `${button.offsetWidth}px`;
        button.textContent = "Cancel";
        button.classList.add("running");
      }, 200);
      const job = {
        button,
        end(text) {
          clearTimeout(timer);
          button.textContent = label;
          button.classList.remove("running");
          say(text);
        },
      };
      this.running = job;
      const progress = (text) => {
        if (this.running !== job) throw new Cancelled();
        say(text);
      };
      let text;
      try {
        progress("Starting …");
        text = (await act(progress, ...rest)) ?? "";
      } catch (error) {
        text = `Error: ${error.message}`;
      }
      if (this.running === job) this.stop(text);
    };
    button.onclick = () => (this.running?.button === button ? this.stop("Cancelled.") : start());
    return start;
  }
}

// Returns a function that shows the progress of a count, at most ten times a second.
function countProgress(progress, prefix = "") {
  let last = -1;
  return (fraction, found, seconds, memory) => {
    if (seconds - last < 0.1) return;
    last = seconds;
    const space = memory > 5e8 ? `, ${digits(memory / 1e9)} GB of memory` : "";
    const left = seconds > 1 ? `, about ${duration((seconds * (1 - fraction)) / fraction)} left` : "";
    const text = fraction
      ? `${(100 * fraction).toFixed(fraction < 0.001 ? 4 : 1)} %, ${si(found / seconds)} solutions/s${left}`
      : `first results take a while, ${Math.round(seconds)} s so far`;
    progress(prefix + text + space);
  };
}

const digits = (number) => number.toLocaleString("en", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });

function duration(seconds) {
  if (seconds < 1e-3) return `${digits(seconds * 1e6)} µs`;
  if (seconds < 1) return `${digits(seconds * 1000)} ms`;
  if (seconds <= 1000) return `${digits(seconds)} s`;
  const hours = seconds / 3600;
  return hours < 2 ? `${Math.round(60 * hours)} min` : hours < 48 ? `${hours.toFixed(1)} h` : plural(Math.round(hours / 24), "day");
}

// Formats an approximate number, as in 1.23 M.
function si(number) {
  const power = Math.max(0, Math.min(4, Math.floor(Math.log10(Math.max(number, 1)) / 3)));
  return `${digits(number / 1000 ** power)} ${["", "k", "M", "G", "T"][power]}`.trim();
}
