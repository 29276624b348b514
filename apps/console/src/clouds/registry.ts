import { cloudNames, isCloudName, type CloudName } from "@cloudwright/contract/clouds";
import { awsView } from "./aws/view.tsx";
import { azureView } from "./azure/view.tsx";
import type { CloudView } from "./cloud-view.ts";
import { listSecretFields } from "./credentials.ts";
import { gcpView } from "./gcp/view.tsx";

const views: Readonly<Partial<Record<CloudName, CloudView>>> = { aws: awsView, gcp: gcpView, azure: azureView };

/** The clouds that the console has forms for. */
export const cloudViews: readonly CloudView[] = cloudNames.flatMap((name) => views[name] ?? []);

/** Returns the view of a cloud, or undefined if the console has no forms for it yet. */
export function findCloudView(cloud: string): CloudView | undefined {
  return isCloudName(cloud) ? views[cloud] : undefined;
}

/** Replaces the secrets in a spec with placeholders, so that the spec can be displayed. */
export function concealSecrets<Spec extends object>(spec: Spec): Spec {
  const parts = Object.entries(spec).map(([name, part]): [string, unknown] => [name, concealPart(name, part)]);
  return Object.fromEntries(parts) as Spec;
}

function concealPart(cloud: string, part: unknown): unknown {
  const view = findCloudView(cloud);
  const secrets = view === undefined ? [] : listSecretFields(view);
  if (typeof part !== "object" || part === null || !secrets.some((name) => name in part)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, secrets.includes(name) ? "<secret>" : value]));
}
