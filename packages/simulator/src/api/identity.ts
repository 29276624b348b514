import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { isObject, parseJson, textOf, type Clock, type ReadonlyJsonObject, type Secret } from "@cloudwright/platform";
import type { Inventory } from "../inventory/inventory.ts";

/**
 * Derives and checks the credentials of simulated APIs. All credentials are derived from one secret and a generation per tenant. The
 * generation is stored in the tenant's inventory. A tenant without a generation has no valid credentials.
 */
export interface ApiIdentity {
  /** Derives a key from the secret. The same parts always give the same key. */
  deriveKey(purpose: string, ...parts: readonly string[]): Buffer;
  /** Encrypts a payload into a token that only this installation can read and create. */
  seal(purpose: string, payload: ReadonlyJsonObject): string;
  /** Returns the payload of a token, or undefined if this installation did not create it for this purpose. */
  unseal(purpose: string, token: string): ReadonlyJsonObject | undefined;
  /** Returns the current generation of a tenant's credentials. */
  findGeneration(tenant: string): Promise<string | undefined>;
  /** Returns the generation of a tenant's credentials. Creates one if the tenant has none. */
  getGeneration(tenant: string): Promise<string>;
  /** Invalidates all credentials of a tenant. Other processes notice within five seconds. */
  rotate(tenant: string): Promise<void>;
}

// The generation is stored as a record, which is visible to all processes and is deleted with the tenant.
const key = { type: "cloud_credentials", id: "generation" } as const;
const rememberedMs = 5000;
const mostRemembered = 10_000;

/** Creates the identity of one installation. */
export function createApiIdentity(deps: {
  readonly secret: Secret;
  readonly inventory: Inventory;
  readonly clock: Pick<Clock, "now">;
}): ApiIdentity {
  const { inventory, clock } = deps;
  const root = Buffer.from(hkdfSync("sha256", deps.secret.reveal(), "cloudwright simulated apis", "root", 32));
  const remembered = new Map<string, { readonly generation: string | undefined; readonly untilMs: number }>();

  function deriveKey(purpose: string, ...parts: readonly string[]): Buffer {
    return createHmac("sha256", root)
      .update(JSON.stringify([purpose, ...parts]))
      .digest();
  }

  async function findGeneration(tenant: string): Promise<string | undefined> {
    const known = remembered.get(tenant);
    if (known !== undefined && known.untilMs > clock.now()) return known.generation;
    const record = await inventory.find(tenant, key);
    const generation = textOf(record?.attributes["generation"]) || undefined;
    if (remembered.size >= mostRemembered) remembered.clear();
    // A missing generation is not cached, because it may be created at any moment.
    if (generation !== undefined) remembered.set(tenant, { generation, untilMs: clock.now() + rememberedMs });
    return generation;
  }

  async function renew(tenant: string): Promise<void> {
    remembered.delete(tenant);
    await inventory.put(tenant, { ...key, attributes: { generation: randomBytes(12).toString("base64url") } });
  }

  return {
    deriveKey,
    seal(purpose, payload) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", deriveKey(`seal ${purpose}`), nonce);
      const sealed = Buffer.concat([nonce, cipher.update(JSON.stringify(payload)), cipher.final(), cipher.getAuthTag()]);
      return sealed.toString("base64url");
    },
    unseal(purpose, token) {
      const bytes = Buffer.from(token, "base64url");
      if (bytes.length < 29) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", deriveKey(`seal ${purpose}`), bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(-16));
      try {
        const text = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString("utf8");
        const payload = parseJson(text);
        return isObject(payload) ? payload : undefined;
      } catch {
        return undefined;
      }
    },
    findGeneration,
    async getGeneration(tenant) {
      if ((await findGeneration(tenant)) === undefined) {
        const attributes = { generation: randomBytes(12).toString("base64url") };
        await inventory.create(tenant, { ...key, attributes });
      }
      return (await findGeneration(tenant)) ?? "";
    },
    rotate: renew,
  };
}
