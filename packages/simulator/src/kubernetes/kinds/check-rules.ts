import { describeError, listOf, objectOf } from "@cloudwright/platform";
import type { StatusCause } from "../api/status-error.ts";
import { matchesSelector } from "../api/selectors.ts";
import { isSame, type KubeObject } from "../cluster/kube-object.ts";
import { findField } from "../cluster/own-fields.ts";
import { compilePattern } from "../schema/compile-pattern.ts";

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const labelKey = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const roles = new Set(["roles", "rolebindings", "clusterroles", "clusterrolebindings"]);

/** Checks common validation rules that are not part of a schema. `previous` is the replaced object, or undefined for a new object. */
export function checkRules(resource: string, object: KubeObject, previous: KubeObject | undefined): StatusCause[] {
  const causes = [...checkMetadata(resource, object), ...(findField(rules, resource)?.(object, previous) ?? [])];
  return previous === undefined ? causes : [...causes, ...checkImmutable(resource, object, previous)];
}

function checkMetadata(resource: string, { metadata }: KubeObject): StatusCause[] {
  const causes: StatusCause[] = [];
  const { name } = metadata;
  if (roles.has(resource)) {
    if (/[/%]/.test(name) || name === "." || name === "..")
      causes.push(wrong("metadata.name", name, "may not contain '/' or '%'"));
  } else if (resource === "services" || resource === "namespaces") {
    if (!label.test(name) || name.length > 63 || (resource === "services" && !/^[a-z]/.test(name))) {
      const standard = resource === "services" ? "DNS-1035" : "RFC 1123";
      causes.push(
        wrong("metadata.name", name, `a lowercase ${standard} label must consist of lower case alphanumeric characters or '-'`),
      );
    }
  } else if (!subdomain.test(name) || name.length > 253) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
    causes.push(
      wrong(
        "metadata.name",
        name,
        `${rule} (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ),
    );
  }
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (!labelKey.test(key))
      causes.push(wrong("metadata.labels", key, "name part must consist of alphanumeric characters, '-', '_' or '.'"));
    if (!labelValue.test(value) || value.length > 63) {
      causes.push(
        wrong(
          "metadata.labels",
          value,
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        ),
      );
    }
  }
  for (const key of Object.keys(metadata.annotations ?? {})) {
    if (!labelKey.test(key.toLowerCase()))
      causes.push(wrong("metadata.annotations", key, "name part must consist of alphanumeric characters, '-', '_' or '.'"));
  }
  return causes;
}

const rules: Record<string, (object: KubeObject, previous: KubeObject | undefined) => StatusCause[]> = {
  pods: (object) => checkPodSpec(object.spec, "spec"),
  deployments: checkWorkload,
  replicasets: checkWorkload,
  statefulsets: checkWorkload,
  daemonsets: checkWorkload,
  jobs(object) {
    const policy = object.spec?.template?.spec?.restartPolicy;
    const causes = checkPodSpec(object.spec?.template?.spec, "spec.template.spec");
    if (policy === "Always") causes.push(unsupported("spec.template.spec.restartPolicy", policy, ["OnFailure", "Never"]));
    return causes;
  },
  cronjobs(object) {
    const fields = String(object.spec?.schedule ?? "").split(/\s+/);
    if (fields.length === 5 || /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every .+)$/.test(object.spec?.schedule))
      return [];
    return [wrong("spec.schedule", object.spec?.schedule, `expected exactly 5 fields, found ${fields.length}`)];
  },
  services(object) {
    const { type, ports = [], clusterIP } = object.spec ?? {};
    const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
    const causes = types.includes(type) ? [] : [unsupported("spec.type", type, types)];
    if (ports.length === 0 && type !== "ExternalName" && clusterIP !== "None") causes.push(required("spec.ports"));
    ports.forEach((port: any, index: number) => {
      if (!isPort(port.port))
        causes.push(wrong(`spec.ports[${index}].port`, port.port, "must be between 1 and 65535, inclusive"));
      if (ports.length > 1 && !port.name) causes.push(required(`spec.ports[${index}].name`));
    });
    return causes;
  },
  persistentvolumeclaims(object) {
    const causes = object.spec?.accessModes?.length > 0 ? [] : [required("spec.accessModes")];
    if (object.spec?.resources?.requests?.storage === undefined) causes.push(required("spec.resources[storage]"));
    return causes;
  },
  configmaps: (object) => checkKeys(object, ["data", "binaryData"]),
  secrets: (object) => checkKeys(object, ["data"]),
  storageclasses: (object) => (object["provisioner"] ? [] : [required("provisioner")]),
  customresourcedefinitions: checkDefinition,
};

function checkWorkload(object: KubeObject): StatusCause[] {
  const { selector, template, replicas } = object.spec ?? {};
  const claims = ((object.spec?.volumeClaimTemplates ?? []) as any[]).map((claim) => String(claim.metadata?.name));
  const causes = checkPodSpec(template?.spec, "spec.template.spec", claims);
  if (typeof replicas === "number" && replicas < 0)
    causes.push(wrong("spec.replicas", replicas, "must be greater than or equal to 0"));
  if (template !== undefined && selector !== undefined && !matchesSelector(selector, template.metadata?.labels)) {
    causes.push(
      wrong("spec.template.metadata.labels", template.metadata?.labels ?? null, "`selector` does not match template `labels`"),
    );
  }
  const policy = template?.spec?.restartPolicy;
  if (policy !== undefined && policy !== "Always")
    causes.push(unsupported("spec.template.spec.restartPolicy", policy, ["Always"]));
  return causes;
}

function checkPodSpec(spec: any, path: string, claims: readonly string[] = []): StatusCause[] {
  const causes: StatusCause[] = [];
  const containers = (spec?.containers ?? []) as any[];
  if (spec !== undefined && spec.containers !== undefined && containers.length === 0) causes.push(required(`${path}.containers`));
  const names = new Set<string>();
  containers.forEach((container, index) => {
    const at = `${path}.containers[${index}]`;
    const name = String(container?.name ?? "");
    if (container?.name !== undefined && !label.test(name))
      causes.push(
        wrong(`${at}.name`, name, "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'"),
      );
    if (names.has(name))
      causes.push({ reason: "FieldValueDuplicate", message: `Duplicate value: "${name}"`, field: `${at}.name` });
    names.add(name);
    if (!container?.image) causes.push(required(`${at}.image`));
    (container?.ports ?? []).forEach((port: any, which: number) => {
      if (!isPort(port.containerPort))
        causes.push(wrong(`${at}.ports[${which}].containerPort`, port.containerPort, "must be between 1 and 65535, inclusive"));
    });
    const volumes = new Set([...claims, ...((spec.volumes ?? []) as any[]).map((volume) => volume.name)]);
    (container?.volumeMounts ?? []).forEach((mount: any, which: number) => {
      if (!volumes.has(mount.name))
        causes.push({
          reason: "FieldValueNotFound",
          message: `Not found: "${mount.name}"`,
          field: `${at}.volumeMounts[${which}].name`,
        });
    });
  });
  const policies = ["Always", "OnFailure", "Never"];
  if (spec?.restartPolicy !== undefined && !policies.includes(spec.restartPolicy))
    causes.push(unsupported(`${path}.restartPolicy`, spec.restartPolicy, policies));
  return causes;
}

function checkDefinition(object: KubeObject): StatusCause[] {
  const { group, names, scope, versions = [] } = object.spec ?? {};
  const causes: StatusCause[] = [];
  if (names?.plural && object.metadata.name !== `${names.plural}.${group}`)
    causes.push(wrong("metadata.name", object.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  if (scope !== undefined && scope !== "Cluster" && scope !== "Namespaced")
    causes.push(unsupported("spec.scope", scope, ["Cluster", "Namespaced"]));
  if (versions.filter((version: any) => version.storage).length !== 1) {
    causes.push(wrong("spec.versions", versions.length, "must have exactly one version marked as storage version"));
  }
  versions.forEach((version: any, index: number) => {
    const root = version.schema?.openAPIV3Schema;
    if (root === undefined) causes.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
    else if (root.type !== "object") causes.push(required(`spec.versions[${index}].schema.openAPIV3Schema.type`));
    causes.push(...checkSchema(root, `spec.versions[${index}].schema.openAPIV3Schema`));
    const columns = version.additionalPrinterColumns ?? [];
    if (columns.length > mostColumns)
      causes.push(
        wrong(`spec.versions[${index}].additionalPrinterColumns`, columns.length, `must have at most ${mostColumns} items`),
      );
    columns.forEach((column: any, which: number) => {
      if (String(column.jsonPath ?? "").length > longestPath)
        causes.push(
          wrong(
            `spec.versions[${index}].additionalPrinterColumns[${which}].jsonPath`,
            "",
            `must have at most ${longestPath} characters`,
          ),
        );
    });
  });
  return causes;
}

// Limits the cost of rendering lists, because a list includes all columns of its kind.
const mostColumns = 100;
const longestPath = 1000;

// Checks the patterns in the schema of a definition. As in Kubernetes, such a schema cannot refer to other schemas.
function checkSchema(root: unknown, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const left = [{ schema: root, path }];
  for (let next = left.pop(); next !== undefined && causes.length < 10; next = left.pop()) {
    const { schema, path: at } = next;
    if (typeof schema !== "object" || schema === null) continue;
    const fields = schema as Record<string, unknown>;
    if (fields["$ref"] !== undefined)
      causes.push({ reason: "FieldValueForbidden", message: "Forbidden: $ref is not supported", field: `${at}.$ref` });
    const problem = typeof fields["pattern"] === "string" ? findPatternProblem(fields["pattern"]) : undefined;
    if (problem !== undefined)
      causes.push(wrong(`${at}.pattern`, fields["pattern"], `must be a valid regular expression, but isn't: ${problem}`));
    for (const name of ["items", "additionalProperties", "not"]) left.push({ schema: fields[name], path: `${at}.${name}` });
    for (const name of ["allOf", "anyOf", "oneOf"])
      listOf(fields[name]).forEach((part, index) => left.push({ schema: part, path: `${at}.${name}[${index}]` }));
    for (const [name, part] of Object.entries(objectOf(fields["properties"])))
      left.push({ schema: part, path: `${at}.properties[${name}]` });
  }
  return causes;
}

function findPatternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

function checkImmutable(resource: string, object: KubeObject, previous: KubeObject): StatusCause[] {
  const causes: StatusCause[] = [];
  const paths = findField(immutable, resource) ?? [];
  for (const path of paths) {
    const [was, is] = [valueIn(previous, path), valueIn(object, path)];
    if (was !== undefined && !isSame(was, is)) causes.push(wrong(path, is ?? null, "field is immutable"));
  }
  if (
    resource === "services" &&
    previous.spec?.clusterIP &&
    previous.spec.type !== "ExternalName" &&
    object.spec?.clusterIP !== previous.spec.clusterIP
  ) {
    causes.push(wrong("spec.clusterIP", object.spec?.clusterIP ?? "", "field is immutable"));
  }
  if (
    (resource === "configmaps" || resource === "secrets") &&
    previous["immutable"] === true &&
    !isSame(previous["data"], object["data"])
  ) {
    causes.push({
      reason: "FieldValueForbidden",
      message: "Forbidden: field is immutable when `immutable` is set",
      field: "data",
    });
  }
  if (resource === "pods" && !isSame(fixedPod(previous), fixedPod(object))) {
    const message =
      "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
    causes.push({ reason: "FieldValueForbidden", message, field: "spec" });
  }
  if (resource === "statefulsets" && !isSame(fixedSet(previous), fixedSet(object))) {
    const message =
      "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    causes.push({ reason: "FieldValueForbidden", message, field: "spec" });
  }
  return causes;
}

const immutable: Record<string, readonly string[]> = {
  deployments: ["spec.selector"],
  replicasets: ["spec.selector"],
  daemonsets: ["spec.selector"],
  jobs: ["spec.selector", "spec.completions", "spec.template"],
  rolebindings: ["roleRef"],
  clusterrolebindings: ["roleRef"],
  storageclasses: ["provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"],
  secrets: ["type"],
  persistentvolumeclaims: ["spec.accessModes", "spec.storageClassName", "spec.volumeName", "spec.selector", "spec.volumeMode"],
};

function fixedPod({ spec }: KubeObject): unknown {
  const strip = (list: any[] | undefined): unknown => list?.map(({ image: _image, imagePullPolicy: _policy, ...rest }) => rest);
  const {
    containers,
    initContainers,
    activeDeadlineSeconds: _,
    tolerations: __,
    terminationGracePeriodSeconds: ___,
    nodeName: ____,
    ...rest
  } = spec ?? {};
  return { ...rest, containers: strip(containers), initContainers: strip(initContainers) };
}

function fixedSet({ spec }: KubeObject): unknown {
  const { serviceName, selector, podManagementPolicy, volumeClaimTemplates } = spec ?? {};
  return { serviceName, selector, podManagementPolicy, claims: volumeClaimTemplates };
}

function checkKeys(object: KubeObject, fields: readonly string[]): StatusCause[] {
  return fields.flatMap((field) =>
    Object.keys(object[field] ?? {})
      .filter((key) => !/^[-._a-zA-Z0-9]+$/.test(key))
      .map((key) =>
        wrong(`${field}[${key}]`, key, "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"),
      ),
  );
}

function valueIn(object: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => findField(value as Record<string, unknown> | undefined, key), object);
}

function isPort(value: unknown): boolean {
  return typeof value === "number" && value >= 1 && value <= 65535;
}

function wrong(field: string, value: unknown, message: string): StatusCause {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${JSON.stringify(value)}: ${message}`, field };
}

function required(field: string): StatusCause {
  return { reason: "FieldValueRequired", message: "Required value", field };
}

function unsupported(field: string, value: unknown, supported: readonly string[]): StatusCause {
  const list = supported.map((one) => JSON.stringify(one)).join(", ");
  return {
    reason: "FieldValueNotSupported",
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`,
    field,
  };
}
