import type { KubeAccess, KubeClient, KubeObject, KubeRef } from "@cloudwright/kube";
import type { ClusterAddress } from "../cloud.ts";
import type { DeployedAccount, DeployerTask, JsonObject } from "../task.ts";

/** The cluster that add-ons are installed in. */
export interface Site {
  readonly client: KubeClient;
  readonly access: KubeAccess;
  readonly address: ClusterAddress;
  readonly account: DeployedAccount;
  readonly task: DeployerTask;
  /** Nodes that take pods: without one no workload becomes ready. */
  readonly readyNodes: number;
}

/** A chart of Helm, in exactly one version. */
export interface Chart {
  readonly name: string;
  /** `https://...` or `oci://...`; a chart without one is only looked for in the agent's folder of charts. */
  readonly repository?: string;
  /** SHA-256 of the packed chart of the catalogue's version, in hexadecimal digits. */
  readonly digest?: string;
  readonly release: string;
  readonly namespace: string;
}

/** How an add-on gets into a cluster. */
export type Installation =
  | {
      readonly by: "manifests";
      render(site: Site, version: string, values: JsonObject): Promise<readonly KubeObject[]> | readonly KubeObject[];
      /** What the cluster lacks for it, and may have later. */
      findMissing?(site: Site): Promise<string | undefined>;
      /** What is to be done before. */
      prepare?(site: Site): Promise<void>;
    }
  | {
      readonly by: "chart";
      readonly chart: Chart;
      /** What the chart is told beside the values that the user gives, which count more. */
      values(site: Site): JsonObject;
      /** What the cluster lacks for it. */
      findMissing?(site: Site): string | undefined;
    }
  | {
      /** The cloud installs it with the cluster; here it is only looked at. */
      readonly by: "cloud";
      /** What the cloud calls it. */
      readonly managed: string;
      readonly workload: KubeRef;
    };

/** An entry of the catalogue. */
export interface AddOn {
  readonly name: string;
  /** Lower ones are installed first. */
  readonly order: number;
  /** The version where the cluster asks for none. */
  readonly version: string;
  /** There is no other version. */
  readonly isFixed?: boolean;
  /** Clouds that it is for; all when left out. */
  readonly clouds?: readonly string[];
  /** `always`, `asked` if the cluster names it in `spec.addOns`, or if the field of its spec at the path `when` is true. */
  readonly wanted: "always" | "asked" | { readonly when: string };
  readonly install: Installation;
}

/** How an add-on stands, as the cluster's status shows it. */
export interface AddOnStatus {
  readonly name: string;
  readonly version: string;
  readonly phase: "READY" | "INSTALLING" | "FAILED" | "WAITING";
  readonly message: string;
}
