import type { QuotaKind, QuotaUsage } from "../account-view.ts";
import { cloudsFaults } from "../faults.ts";
import type { AwsApi } from "./api.ts";

interface Quota {
  readonly service: string;
  readonly code: string;
  /** Limit of a new account, in the unit of Service Quotas. */
  readonly granted: number;
  /** Number of the platform's units in one unit of Service Quotas. Default: 1. */
  readonly unit?: number;
  /** Returns the amount in use. Absent for limits of a single resource. */
  readonly count?: (api: AwsApi) => Promise<number>;
}

const quotas: Readonly<Partial<Record<QuotaKind, Quota>>> = {
  securityGroups: { service: "vpc", code: "L-E79EC296", granted: 2500, count: countGroups },
  rulesPerGroup: { service: "vpc", code: "L-0EA8095F", granted: 60 },
  groupsPerMachine: { service: "vpc", code: "L-2AFB9258", granted: 5 },
  // The storage of General Purpose SSD (gp3) volumes, in TiB.
  ssdGiB: { service: "ebs", code: "L-7A658B76", granted: 50, unit: 1024, count: countDiskGiB },
};

/** Returns a quota and its usage. Returns undefined if the credentials do not allow reading them. */
export async function findAwsUsage(api: AwsApi, kind: QuotaKind): Promise<QuotaUsage | undefined> {
  const quota = quotas[kind];
  if (quota === undefined) return undefined;
  try {
    const { service: ServiceCode, code: QuotaCode, granted, unit = 1, count } = quota;
    const limit = await api.call("read the quotas", async (clients) => {
      const { GetServiceQuotaCommand } = await import("@aws-sdk/client-service-quotas");
      const asked = (await clients.quotas()).send(new GetServiceQuotaCommand({ ServiceCode, QuotaCode }));
      return asked.then(({ Quota: found }) => found?.Value, ignoreUnknown);
    });
    const used = (await count?.(api)) ?? 0;
    return { limit: (limit ?? granted) * unit, used, ...(limit === undefined ? { isAssumed: true } : {}) };
  } catch (error) {
    // The least-privilege policies of earlier releases do not allow all of these calls.
    if ((error as { readonly code?: string }).code === cloudsFaults.not_allowed.code) return undefined;
    throw error;
  }
}

// Service Quotas may have no record of a quota that was never raised.
function ignoreUnknown(error: unknown): undefined {
  if ((error as { readonly name?: string }).name !== "NoSuchResourceException") throw error;
}

async function countGroups(api: AwsApi): Promise<number> {
  return api.call("list the security groups", async (clients) => {
    const { paginateDescribeSecurityGroups } = await import("@aws-sdk/client-ec2");
    let count = 0;
    for await (const page of paginateDescribeSecurityGroups({ client: await clients.ec2() }, {}))
      count += page.SecurityGroups?.length ?? 0;
    return count;
  });
}

async function countDiskGiB(api: AwsApi): Promise<number> {
  return api.call("list the volumes", async (clients) => {
    const { paginateDescribeVolumes } = await import("@aws-sdk/client-ec2");
    const Filters = [{ Name: "volume-type", Values: ["gp3"] }];
    let sum = 0;
    for await (const { Volumes = [] } of paginateDescribeVolumes({ client: await clients.ec2() }, { Filters }))
      sum += Volumes.reduce((size, { Size = 0 }) => size + Size, 0);
    return sum;
  });
}
