import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from "jose";
import { type Clock, createRateLimiter, type Logger } from "@cloudwright/platform";
import {
  deleteSigningKeysBefore,
  insertSigningKey,
  listSigningKeys,
  seal,
  unseal,
  type KeyRing,
  type Pool,
  type SigningKeyRow,
} from "@cloudwright/store";

/** The only accepted signature algorithm. */
export const tokenAlgorithm = "EdDSA";

/** The keys that sign and verify tokens. Replicas share them through the database. */
export interface SigningKeys {
  /** Returns the current signing key. Creates a new one if the newest is a day old. */
  getSigner(): Promise<{ kid: string; key: CryptoKey }>;
  /** Returns the public key with this id, or undefined once all tokens signed with it have expired. */
  findVerifier(kid: string): Promise<CryptoKey | undefined>;
  /** Returns the public keys that other services use to verify tokens. */
  listPublic(): Promise<JWK[]>;
}

interface SigningKey {
  readonly kid: string;
  readonly createdAtMs: number;
  readonly publicJwk: JWK;
  readonly verifier: CryptoKey;
  readonly sealed: Buffer;
  signer?: Promise<CryptoKey>;
}

const signingMs = 24 * 60 * 60 * 1000;
/** Tokens are valid for five minutes. Another five minutes allow for clock skew. */
const acceptingMs = signingMs + 10 * 60 * 1000;
/** Reload interval. A key deleted from the database is accepted for at most this long. */
const refreshMs = 60_000;

/** Creates the key service, backed by the database. Private keys are stored encrypted and are decrypted only for signing. */
export function createSigningKeys(deps: { pool: Pool; keyRing: KeyRing; clock: Clock; log: Logger }): SigningKeys {
  const reloads = createRateLimiter(deps, { perSecond: 1, burst: 5 });
  let keys: ReadonlyMap<string, SigningKey> = new Map();
  let loadedAtMs = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;
  let making: Promise<void> | undefined;

  const load = (): Promise<void> =>
    (loading ??= (async () => {
      const startedAtMs = deps.clock.now();
      const rows = await listSigningKeys(deps.pool);
      const read = rows.map(async (row) => [row.kid, keys.get(row.kid) ?? (await readKey(row))] as const);
      keys = new Map(await Promise.all(read));
      loadedAtMs = startedAtMs;
    })().finally(() => (loading = undefined)));
  /** Reloads the keys. If a reload is already running, waits for it first, because it may have started too early to see a new key. */
  const loadAnew = async (): Promise<void> => {
    await loading?.catch(() => undefined);
    await load();
  };
  const refresh = async (): Promise<void> => {
    if (Math.abs(deps.clock.now() - loadedAtMs) >= refreshMs) await load();
  };
  const isYoungerThan = (key: SigningKey, ms: number): boolean => deps.clock.now() - key.createdAtMs < ms;
  const findNewest = (): SigningKey | undefined => {
    const [newest] = [...keys.values()].toSorted((a, b) => b.createdAtMs - a.createdAtMs);
    return newest !== undefined && isYoungerThan(newest, signingMs) ? newest : undefined;
  };
  const make = (): Promise<void> =>
    (making ??= makeKey(deps)
      .then(loadAnew)
      .finally(() => (making = undefined)));
  const getNewest = async (): Promise<SigningKey> => {
    await refresh();
    if (findNewest() === undefined) await make();
    const newest = findNewest();
    if (newest === undefined) throw new Error("there is no signing key although one was created");
    return newest;
  };

  return {
    async getSigner() {
      const newest = await getNewest();
      newest.signer ??= importKey(JSON.parse(unseal(deps.keyRing, newest.kid, newest.sealed)) as JWK);
      return { kid: newest.kid, key: await newest.signer };
    },
    async findVerifier(kid) {
      await refresh();
      // Another replica may have just created the key. Reloads are rate-limited, because anyone can send made-up key ids.
      if (!keys.has(kid) && reloads.take("unknown kid").allowed) await loadAnew();
      const key = keys.get(kid);
      return key !== undefined && isYoungerThan(key, acceptingMs) ? key.verifier : undefined;
    },
    async listPublic() {
      if (reloads.take("list").allowed) await loadAnew();
      await getNewest();
      return [...keys.values()].filter((key) => isYoungerThan(key, acceptingMs)).map((key) => key.publicJwk);
    },
  };
}

async function makeKey(deps: { pool: Pool; keyRing: KeyRing; clock: Clock; log: Logger }): Promise<void> {
  const nowMs = deps.clock.now();
  const pair = await generateKeyPair(tokenAlgorithm, { crv: "Ed25519", extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const served = JSON.stringify({ ...publicJwk, kid, alg: tokenAlgorithm, use: "sig" });
  const sealed = seal(deps.keyRing, kid, JSON.stringify(await exportJWK(pair.privateKey)));
  const createdAt = new Date(nowMs).toISOString();
  const made = await insertSigningKey(
    deps.pool,
    { kid, createdAt, publicJwk: served, sealed },
    new Date(nowMs - signingMs).toISOString(),
  );
  if (made) deps.log.info({ kid }, "created a signing key");
  await deleteSigningKeysBefore(deps.pool, new Date(nowMs - acceptingMs).toISOString());
}

async function readKey(row: SigningKeyRow): Promise<SigningKey> {
  const verifier = await importKey(row.public_jwk);
  return { kid: row.kid, createdAtMs: row.created_at.getTime(), publicJwk: row.public_jwk, verifier, sealed: row.sealed };
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  return (await importJWK(jwk, tokenAlgorithm)) as CryptoKey;
}
