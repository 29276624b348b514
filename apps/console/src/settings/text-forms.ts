import { isTree } from "../data/spec-paths.ts";

/** Renders a map as strings of the form `key=value`, or `key` if the value is empty. */
export function renderPairs(map: unknown): string[] {
  return isTree(map) ? Object.entries(map).map(([key, value]) => (value === "" ? key : `${key}=${String(value)}`)) : [];
}

/** Parses strings of the form `key=value`. A string without an equals sign becomes a key with an empty value. */
export function parsePairs(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text) => splitAt(text, "=")));
}

/** Renders taints as strings of the form `key=value:effect`, or `key:effect` if the value is empty. */
export function renderTaints(taints: unknown): string[] {
  if (!Array.isArray(taints)) return [];
  return taints.map((taint: { readonly key?: string; readonly value?: string; readonly effect?: string }) => {
    const { key = "", value = "", effect = "" } = taint;
    return `${key}${value === "" ? "" : `=${value}`}:${effect}`;
  });
}

/** Parses strings of the form `key=value:effect`. The effect defaults to NoSchedule. The server rejects unknown effects. */
export function parseTaints(texts: readonly string[]): object[] {
  return texts.map((text) => {
    const at = text.lastIndexOf(":");
    const [key, value] = splitAt(at === -1 ? text : text.slice(0, at), "=");
    return { key, ...(value === "" ? {} : { value }), effect: at === -1 ? "NoSchedule" : text.slice(at + 1) };
  });
}

function splitAt(text: string, sign: string): [before: string, after: string] {
  const at = text.indexOf(sign);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
