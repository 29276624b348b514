/** A public Ed25519 key in JWK format. */
export interface PublicKey {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
}

/** Parses a public Ed25519 key in JWK format. Returns undefined for anything else, in particular for a private key. */
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

/** Renders a key in the canonical form in which it is stored. */
export function renderPublicKey({ kty, crv, x }: PublicKey): string {
  return JSON.stringify({ kty, crv, x });
}
