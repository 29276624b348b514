/** The colour category of a state. */
export type Tone = "good" | "busy" | "warn" | "bad" | "idle" | "sim";

const tones: Readonly<Record<string, Tone>> = {
  RUNNING: "good",
  DONE: "good",
  READY: "good",
  INSTALLING: "busy",
  CORRECTED: "good",
  KEPT: "warn",
  allowed: "good",
  PENDING: "idle",
  WAITING: "idle",
  STALE: "idle",
  DISCARDED: "idle",
  CANCELLED: "idle",
  GONE: "idle",
  ACCEPTED: "idle",
  PROVISIONING: "busy",
  UPDATING: "busy",
  UPGRADING: "busy",
  REPAIRING: "busy",
  DELETING: "busy",
  PLANNING: "busy",
  PLANNED: "busy",
  APPLYING: "busy",
  LEASED: "busy",
  NEEDS_APPROVAL: "warn",
  DEGRADED: "warn",
  OPEN: "warn",
  SILENT: "bad",
  FAILED: "bad",
  failed: "bad",
  denied: "bad",
};

/** Returns the tone of a phase or state. RUNNING means healthy for an entity, but in progress for work such as an operation. */
export function toneOf(state: string, work = false): Tone {
  if (work && state === "RUNNING") return "busy";
  return tones[state] ?? "idle";
}

/** Converts a state to readable text: `NEEDS_APPROVAL` becomes "Needs approval". */
export function readable(state: string): string {
  const words = state.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
