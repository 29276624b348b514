/** A public Ed25519 key as a JWK. */
export interface PublicKey {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
}

/** Reads the JSON text of a public Ed25519 key; undefined when it is anything else, above all a private one. */
export function parsePublicKey(text: string): PublicKey | undefined {
  let jwk: unknown;
  try {
    jwk = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof jwk !== "object" || jwk === null || "d" in jwk) return undefined;
  const { kty, crv, x } = jwk as Partial<Record<string, unknown>>;
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string" || !/^[A-Za-z0-9_-]{43}$/.test(x)) return undefined;
  return { kty, crv, x };
}

/** The one text that a key is kept as, whatever it came with. */
export function renderPublicKey({ kty, crv, x }: PublicKey): string {
  return JSON.stringify({ kty, crv, x });
}
