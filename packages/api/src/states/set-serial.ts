/** What a reviver is told of a number beside its value: how it was written. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parse = JSON.parse as (text: string, revive: Reviver) => Record<string, unknown>;
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** A state with another serial. Numbers stay as they were written: those of providers may be larger than a double holds exactly. */
export function setSerial(content: Buffer, serial: number): Buffer {
  const state = parse(content.toString("utf8"), (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  );
  return Buffer.from(`${JSON.stringify({ ...state, serial }, undefined, 2)}\n`);
}
