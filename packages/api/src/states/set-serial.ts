/** A JSON.parse reviver whose third argument provides the source text of numbers. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parse = JSON.parse as (text: string, revive: Reviver) => Record<string, unknown>;
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * Returns a copy of a state with a different serial. Numbers keep their source text, because providers may use numbers that exceed the
 * precision of a double.
 */
export function setSerial(content: Buffer, serial: number): Buffer {
  const state = parse(content.toString("utf8"), (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  );
  return Buffer.from(`${JSON.stringify({ ...state, serial }, undefined, 2)}\n`);
}
