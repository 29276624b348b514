import type { SystemGatewayClass } from "../../cloud/cluster-contents.ts";
import { establishDefinition } from "../kinds/establish-definition.ts";
import type { AwakeCluster } from "./awake-cluster.ts";
import { timeText, type KubeObject } from "./kube-object.ts";
import { makeObject } from "./make-object.ts";

const group = "gateway.networking.k8s.io";
const bundleVersion = "v1.2.0";

/** The kinds of the Gateway API's standard channel. */
const kinds = [
  { kind: "GatewayClass", plural: "gatewayclasses", shortName: "gc", scope: "Cluster", version: "v1" },
  { kind: "Gateway", plural: "gateways", shortName: "gtw", scope: "Namespaced", version: "v1" },
  { kind: "HTTPRoute", plural: "httproutes", scope: "Namespaced", version: "v1" },
  { kind: "ReferenceGrant", plural: "referencegrants", shortName: "refgrant", scope: "Namespaced", version: "v1beta1" },
] as const;

/** Installs the Gateway API and the classes that a managed Kubernetes service offers. Objects that already exist are left unchanged. */
export function makeGateways(cluster: AwakeCluster, classes: readonly SystemGatewayClass[]): void {
  for (const kind of kinds) makeDefinition(cluster, kind);
  const lastTransitionTime = timeText(cluster.clock.now());
  for (const { name, controllerName, description } of classes) {
    makeObject(cluster, `gatewayclasses.${group}`, {
      apiVersion: `${group}/v1`,
      kind: "GatewayClass",
      metadata: { name },
      spec: { controllerName, description },
      status: {
        conditions: [
          {
            type: "Accepted",
            status: "True",
            reason: "Accepted",
            message: "the controller supports this class",
            observedGeneration: 1,
            lastTransitionTime,
          },
        ],
      },
    });
  }
}

function makeDefinition(cluster: AwakeCluster, definition: (typeof kinds)[number]): void {
  const { kind, plural, scope, version } = definition;
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const draft = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      annotations: {
        "gateway.networking.k8s.io/bundle-version": bundleVersion,
        "gateway.networking.k8s.io/channel": "standard",
      },
    },
    spec: {
      group,
      scope,
      names: {
        kind,
        plural,
        shortNames: "shortName" in definition ? [definition.shortName] : [],
        categories: ["gateway-api"],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
          subresources: { status: {} },
          ...(kind === "GatewayClass" && { additionalPrinterColumns: classColumns }),
        },
      ],
    },
  };
  establishDefinition(draft as unknown as KubeObject, cluster.clock.now());
  makeObject(cluster, "customresourcedefinitions.apiextensions.k8s.io", draft);
}

const classColumns = [
  { name: "Controller", type: "string", jsonPath: ".spec.controllerName" },
  { name: "Accepted", type: "string", jsonPath: '.status.conditions[?(@.type=="Accepted")].status' },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];
