const factors: ReadonlyMap<string, number> = new Map([
  ["n", 1e-9],
  ["u", 1e-6],
  ["m", 1e-3],
  ["", 1],
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["T", 1e12],
  ["P", 1e15],
  ["E", 1e18],
  ["Ki", 2 ** 10],
  ["Mi", 2 ** 20],
  ["Gi", 2 ** 30],
  ["Ti", 2 ** 40],
  ["Pi", 2 ** 50],
  ["Ei", 2 ** 60],
]);

/** Parses a Kubernetes quantity, such as `1.5Gi`, `500m`, `2` or `1e3`. */
export function parseQuantity(text: string): number {
  const match = /^([+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18}))(?:[eE]([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i)?)$/.exec(text);
  if (match === null) throw new Error(`"${text.slice(0, 40)}" is not a quantity such as 1.5Gi or 500m`);
  const [, digits = "", exponent, suffix = ""] = match;
  if (exponent !== undefined) return Number(`${digits}e${exponent}`);
  return Number(digits) * (factors.get(suffix) ?? Number.NaN);
}
