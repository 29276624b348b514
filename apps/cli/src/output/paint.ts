import type { Environment } from "@cloudwright/platform";
import type { Sink } from "../world.ts";

/** Colours text. Returns it unchanged if colours are disabled. */
export interface Paint {
  phase(text: string): string;
  bold(text: string): string;
  colour(name: "green" | "yellow" | "red" | "plain", text: string): string;
}

/** Enables colours only on a terminal. `--no-color` and NO_COLOR (https://no-color.org) disable them. */
export function createPaint(sink: Sink, environment: Environment, flag: boolean | undefined): Paint {
  const on = sink.isTTY && flag !== false && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
  const wrap = (code: number, text: string): string => (on ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    bold: (text) => wrap(1, text),
    phase: (text) => wrap(colourOf(text), text),
    colour: (name, text) => (name === "plain" ? text : wrap(colours[name], text)),
  };
}

const green = 32;
const yellow = 33;
const red = 31;
const colours = { green, yellow, red };

function colourOf(phase: string): number {
  if (/^(RUNNING|READY|DONE|True|Normal|allowed|yes)\b/.test(phase)) return green;
  return /^(FAILED|DEGRADED|False|Warning|denied|failed|no)\b/.test(phase) ? red : yellow;
}
