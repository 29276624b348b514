import { describeRef, refOf, type KubeObject } from "./kube-object.ts";
import { listOtherManagers, readError } from "./read-error.ts";
import type { Transport } from "./transport.ts";

/** The field manager under which the API server records the platform's fields. */
export const fieldManager = "cloudwright";

/** Options for applying an object. */
export interface ApplyOptions {
  /** Whether to return the result without storing it. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Applies an object with server-side apply. Throws a fault if another manager has set one of the fields to a different value. If only the
 * platform's own manager owns the conflicting fields, the apply is forced. Such conflicts occur when an earlier release wrote the fields
 * differently.
 */
export async function applyObject(
  transport: Transport,
  path: string,
  object: KubeObject,
  { dryRun, signal }: ApplyOptions,
): Promise<KubeObject> {
  const what = `apply ${describeRef(refOf(object))}`;
  const send = (force: boolean): ReturnType<Transport["ask"]> =>
    transport.ask({
      method: "PATCH",
      path,
      query: { fieldManager, force, dryRun: dryRun === true ? "All" : undefined },
      // The body is JSON, which is valid YAML.
      contentType: "application/apply-patch+yaml",
      body: object,
      signal,
      what,
    });
  let { status, body } = await send(false);
  if (status === 409) {
    const others = listOtherManagers(body);
    if (others.length > 0 && others.every(({ manager }) => manager === fieldManager)) ({ status, body } = await send(true));
  }
  if (status !== 200 && status !== 201) throw readError(what, status, body);
  return body as KubeObject;
}
