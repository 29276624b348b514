import { listAt, objectAt, Refusal, textAt, type Resource } from "./reply.ts";

/** Adds the fields that Compute Engine fills in when a request omits them. Throws if Compute Engine would reject a setting. */
export function computeDefaults(collection: string, resource: Resource): Resource {
  switch (collection) {
    case "networks":
      return {
        mtu: 1460,
        networkFirewallPolicyEnforcementOrder: "AFTER_CLASSIC_FIREWALL",
        ...resource,
        routingConfig: { routingMode: "REGIONAL", bgpBestPathSelectionMode: "LEGACY", ...objectAt(resource, "routingConfig") },
      };
    case "subnetworks":
      return completeSubnet(resource);
    case "firewalls":
      return { priority: 1000, direction: "INGRESS", disabled: false, logConfig: { enable: false }, ...resource };
    case "routers":
      return { ...resource, nats: listAt(resource, "nats").map(completeNat) };
    case "addresses":
      return {
        address: pickAddress(textAt(resource, "name")),
        addressType: "EXTERNAL",
        networkTier: "PREMIUM",
        status: "RESERVED",
        ...resource,
      };
    case "disks":
      return completeDisk(resource);
    default:
      return resource;
  }
}

function completeSubnet(subnet: Resource): Resource {
  const log = objectAt(subnet, "logConfig");
  const isLogged = "aggregationInterval" in log || "flowSampling" in log || log["enable"] === true;
  const { enable: _enable, ...settings } = log;
  return {
    purpose: "PRIVATE",
    stackType: "IPV4_ONLY",
    privateIpv6GoogleAccess: "DISABLE_GOOGLE_ACCESS",
    gatewayAddress: textAt(subnet, "ipCidrRange").replace(/\d+\/\d+$/, "1"),
    ...subnet,
    enableFlowLogs: isLogged && log["enable"] !== false,
    logConfig:
      isLogged && log["enable"] !== false
        ? {
            aggregationInterval: "INTERVAL_5_SEC",
            metadata: "INCLUDE_ALL_METADATA",
            filterExpr: "true",
            ...settings,
            flowSampling: toFloat(log["flowSampling"]),
            enable: true,
          }
        : { enable: false },
  };
}

/**
 * Rounds a number as the API does: the API stores it in single precision and returns the shortest decimal that represents the stored value.
 */
function toFloat(value: unknown): number {
  const single = Math.fround(Number(value ?? 0.5));
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((count) => Math.fround(Number(single.toPrecision(count))) === single) ?? 9;
  return Number(single.toPrecision(digits));
}

const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value));

function completeNat(nat: Resource): Resource {
  const isDynamic = nat["enableDynamicPortAllocation"] === true;
  const complete: Resource = {
    type: "PUBLIC",
    endpointTypes: ["ENDPOINT_TYPE_VM"],
    enableEndpointIndependentMapping: false,
    enableDynamicPortAllocation: false,
    icmpIdleTimeoutSec: 30,
    udpIdleTimeoutSec: 30,
    tcpEstablishedIdleTimeoutSec: 1200,
    tcpTransitoryIdleTimeoutSec: 30,
    tcpTimeWaitTimeoutSec: 120,
    minPortsPerVm: isDynamic ? 32 : 64,
    ...(isDynamic ? { maxPortsPerVm: 65_536 } : {}),
    autoNetworkTier: "PREMIUM",
    ...Object.fromEntries(Object.entries(nat).filter(([, value]) => value !== null)),
  };
  const [least, most] = [Number(complete["minPortsPerVm"]), Number(complete["maxPortsPerVm"])];
  if (isDynamic && nat["enableEndpointIndependentMapping"] === true)
    throw new Refusal(400, "Dynamic port allocation excludes endpoint-independent mapping");
  if (isDynamic && (!isPowerOfTwo(least) || least < 32 || least > 32_768))
    throw new Refusal(400, `minPortsPerVm must not be ${least}`);
  if (isDynamic && (!isPowerOfTwo(most) || most <= least || most > 65_536))
    throw new Refusal(400, `maxPortsPerVm must not be ${most}`);
  if (!isDynamic && "maxPortsPerVm" in complete) throw new Refusal(400, "maxPortsPerVm requires dynamic port allocation");
  const isManual = complete["natIpAllocateOption"] === "MANUAL_ONLY";
  const addresses = Array.isArray(complete["natIps"]) ? complete["natIps"] : [];
  if (isManual !== addresses.length > 0) throw new Refusal(400, "natIps and natIpAllocateOption do not match");
  return complete;
}

function pickAddress(name: string): string {
  const sum = Buffer.from(name).reduce((total, byte) => (total * 31 + byte) % 65_025, 7);
  return `34.76.${Math.floor(sum / 255)}.${sum % 255}`;
}

// Default performance by disk type.
const usualIops: Readonly<Record<string, number>> = {
  "pd-extreme": 100_000,
  "hyperdisk-balanced": 3000,
  "hyperdisk-extreme": 128,
};
const usualThroughput: Readonly<Record<string, number>> = { "hyperdisk-balanced": 140, "hyperdisk-throughput": 180 };

function completeDisk(disk: Resource): Resource {
  const type = textAt(disk, "type").split("/").at(-1) ?? "";
  const key = textAt(objectAt(disk, "diskEncryptionKey"), "kmsKeyName");
  const text = (value: unknown): string | undefined => (value === undefined ? undefined : `${Number(value)}`);
  const performance = {
    provisionedIops: text(disk["provisionedIops"] ?? usualIops[type]),
    provisionedThroughput: text(disk["provisionedThroughput"] ?? usualThroughput[type]),
  };
  return {
    status: "READY",
    physicalBlockSizeBytes: "4096",
    enableConfidentialCompute: false,
    ...(type.startsWith("hyperdisk") ? { accessMode: "READ_WRITE_SINGLE" } : {}),
    ...disk,
    sizeGb: `${Number(disk["sizeGb"])}`,
    ...Object.fromEntries(Object.entries(performance).filter(([, value]) => value !== undefined)),
    // The API returns the version of the key that encrypts the disk.
    ...(key === ""
      ? {}
      : { diskEncryptionKey: { kmsKeyName: key.includes("/cryptoKeyVersions/") ? key : `${key}/cryptoKeyVersions/1` } }),
  };
}
