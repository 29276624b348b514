import { createHash } from "node:crypto";
import type { HookContext } from "../provider/definition.ts";

/** Returns the subscription that the provider is configured for, or one derived from the tenant. */
export function subscriptionOf({ tenant, provider }: HookContext): string {
  const given = provider["subscription_id"];
  return typeof given === "string" && given !== "" ? given : guid(`subscription ${tenant}`);
}

/** Returns a UUID derived from the seed. Equal seeds give equal UUIDs. */
export function guid(seed: string): string {
  const digits = createHash("sha256").update(seed).digest("hex");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
