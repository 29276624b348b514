import { getCloud } from "@cloudwright/contract";
import { didYouMean } from "@cloudwright/platform";
import { findSimulatedConditions } from "@cloudwright/store";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import type { SimulatedAccount } from "./require-simulated.ts";

/**
 * Throws if one of the quotas does not exist in the account's cloud. Accepts the removal of a stored quota with an unknown name, because
 * earlier releases stored any name.
 */
export async function requireQuotas(
  { pool }: Pick<ApiDeps, "pool">,
  { uid, cloud }: Pick<SimulatedAccount, "uid" | "cloud">,
  quotas: Readonly<Record<string, number>>,
): Promise<void> {
  const { title, quotas: granted } = getCloud(cloud);
  const known = Object.keys(granted);
  const unknown = Object.entries(quotas).filter(([name]) => !known.includes(name));
  if (unknown.length === 0) return;
  const { quotas: stored = {} } = (await findSimulatedConditions(pool, uid)) as { readonly quotas?: object };
  const wrong = unknown.filter(([name, most]) => most >= 0 || !Object.hasOwn(stored, name));
  if (wrong.length === 0) return;
  const choice = known.length === 0 ? "it has none" : `choose from ${known.join(", ")}`;
  throw invalid(
    "the request",
    wrong.map(([name]) => ({
      field: `quotas.${name}`,
      message: `is not a quota of ${title}${didYouMean(name, known)}; ${choice}`,
    })),
  );
}
