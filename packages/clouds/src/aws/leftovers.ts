import type { Tag } from "@aws-sdk/client-ec2";
import { ownerTag } from "../account-view.ts";
import type { ClusterLeftovers, Leftover } from "../cloud-provider.ts";
import type { AwsApi, AwsClients } from "./api.ts";

/** Finds and removes the load balancers, target groups, network interfaces, security groups and volumes that clusters created. */
export function createAwsLeftovers(api: AwsApi): ClusterLeftovers {
  return {
    list: async (cluster) => [...(await listLoadBalancers(api, cluster)), ...(await listInEc2(api, cluster))],
    remove: ({ type, id }) => removeOne(api, type, id),
    retain: (volumeId) =>
      api.call(`detach ${volumeId} from its cluster`, async (clients) => {
        const { DeleteTagsCommand, DescribeTagsCommand } = await import("@aws-sdk/client-ec2");
        const client = await clients.ec2();
        const Filters = [{ Name: "resource-id", Values: [volumeId] }];
        const { Tags = [] } = await client.send(new DescribeTagsCommand({ Filters }));
        const ofCluster = Tags.flatMap(({ Key }) => (Key?.startsWith("kubernetes.io/cluster/") === true ? [{ Key }] : []));
        if (ofCluster.length > 0) await client.send(new DeleteTagsCommand({ Resources: [volumeId], Tags: ofCluster }));
      }),
  };
}

/** Tags that Kubernetes and the load balancer controller add to the resources they create. */
function tagsOf(cluster: string): readonly { readonly key: string; readonly value: string }[] {
  return [
    { key: `kubernetes.io/cluster/${cluster}`, value: "owned" },
    { key: "elbv2.k8s.aws/cluster", value: cluster },
  ];
}

const loadBalancerTypes: readonly (readonly [RegExp, string, (match: RegExpExecArray) => string])[] = [
  [/:loadbalancer\/(app|net|gwy)\//, "aws_lb", ({ input }) => input],
  [/:loadbalancer\/([^/]+)$/, "aws_elb", (match) => match[1] ?? ""],
  [/:targetgroup\//, "aws_lb_target_group", ({ input }) => input],
];

async function listLoadBalancers(api: AwsApi, cluster: string): Promise<Leftover[]> {
  return api.call(`list the load balancers of ${cluster}`, async (clients) => {
    const { paginateGetResources } = await import("@aws-sdk/client-resource-groups-tagging-api");
    const client = await clients.tagging();
    const found = new Map<string, Leftover>();
    const ResourceTypeFilters = ["elasticloadbalancing:loadbalancer", "elasticloadbalancing:targetgroup"];
    for (const { key, value } of tagsOf(cluster)) {
      const filter = { ResourceTypeFilters, TagFilters: [{ Key: key, Values: [value] }] };
      for await (const { ResourceTagMappingList = [] } of paginateGetResources({ client }, filter)) {
        for (const { ResourceARN: arn = "", Tags = [] } of ResourceTagMappingList) {
          const thing = Tags.some(({ Key }) => Key === ownerTag) ? undefined : readLoadBalancer(arn);
          if (thing !== undefined) found.set(arn, thing);
        }
      }
    }
    const order = loadBalancerTypes.map(([, type]) => type);
    return [...found.values()].toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
  });
}

function readLoadBalancer(arn: string): Leftover | undefined {
  for (const [pattern, type, idOf] of loadBalancerTypes) {
    const match = pattern.exec(arn);
    if (match !== null) return { type, id: idOf(match) };
  }
  return undefined;
}

async function listInEc2(api: AwsApi, cluster: string): Promise<Leftover[]> {
  return api.call(`list the leftover resources of ${cluster}`, async (clients) => {
    const ec2 = await import("@aws-sdk/client-ec2");
    const client = await clients.ec2();
    const interfaces = new Set<string>();
    const groups = new Set<string>();
    const volumes = new Set<string>();
    const nodes = { key: "cluster.k8s.amazonaws.com/name", value: cluster };
    for (const { key, value } of [...tagsOf(cluster), nodes]) {
      const Filters = [{ Name: `tag:${key}`, Values: [value] }];
      // An attached interface is deleted together with the resource that uses it.
      const free = { Filters: [...Filters, { Name: "status", Values: ["available"] }] };
      for await (const { NetworkInterfaces = [] } of ec2.paginateDescribeNetworkInterfaces({ client }, free))
        for (const { NetworkInterfaceId: id = "", TagSet } of NetworkInterfaces) if (isFree(TagSet)) interfaces.add(id);
      for await (const { SecurityGroups = [] } of ec2.paginateDescribeSecurityGroups({ client }, { Filters }))
        for (const { GroupId: id = "", Tags } of SecurityGroups) if (isFree(Tags)) groups.add(id);
      for await (const { Volumes = [] } of ec2.paginateDescribeVolumes({ client }, { Filters }))
        for (const { VolumeId: id = "", Tags } of Volumes) if (isFree(Tags)) volumes.add(id);
    }
    const named = (type: string, ids: ReadonlySet<string>): Leftover[] => [...ids].map((id) => ({ type, id }));
    return [
      ...named("aws_network_interface", interfaces),
      ...named("aws_security_group", groups),
      ...named("aws_ebs_volume", volumes),
    ];
  });
}

// Excludes resources that Terraform or EKS will delete.
function isFree(tags: readonly Tag[] | undefined): boolean {
  return tags?.every(({ Key }) => Key !== ownerTag && Key !== "aws:eks:cluster-name") ?? true;
}

const gone = /NotFound|NoSuchEntity|LoadBalancerNotFound/;

async function removeOne(api: AwsApi, type: string, id: string): Promise<void> {
  const remove = removers[type];
  if (remove === undefined) throw new Error(`removal of ${type} is not implemented`);
  await api.call(`remove ${type} ${id}`, async (clients) => {
    try {
      await remove(clients, id);
    } catch (error) {
      if (!gone.test((error as { readonly name?: string }).name ?? "")) throw error;
    }
  });
}

const removers: Readonly<Record<string, (clients: AwsClients, id: string) => Promise<unknown>>> = {
  async aws_lb(clients, id) {
    const { DeleteLoadBalancerCommand } = await import("@aws-sdk/client-elastic-load-balancing-v2");
    return (await clients.loadBalancing()).send(new DeleteLoadBalancerCommand({ LoadBalancerArn: id }));
  },
  async aws_lb_target_group(clients, id) {
    const { DeleteTargetGroupCommand } = await import("@aws-sdk/client-elastic-load-balancing-v2");
    return (await clients.loadBalancing()).send(new DeleteTargetGroupCommand({ TargetGroupArn: id }));
  },
  async aws_elb(clients, id) {
    const { DeleteLoadBalancerCommand } = await import("@aws-sdk/client-elastic-load-balancing");
    return (await clients.classicLoadBalancing()).send(new DeleteLoadBalancerCommand({ LoadBalancerName: id }));
  },
  async aws_network_interface(clients, id) {
    const { DeleteNetworkInterfaceCommand } = await import("@aws-sdk/client-ec2");
    return (await clients.ec2()).send(new DeleteNetworkInterfaceCommand({ NetworkInterfaceId: id }));
  },
  async aws_security_group(clients, id) {
    const { DeleteSecurityGroupCommand } = await import("@aws-sdk/client-ec2");
    return (await clients.ec2()).send(new DeleteSecurityGroupCommand({ GroupId: id }));
  },
  async aws_ebs_volume(clients, id) {
    const { DeleteVolumeCommand } = await import("@aws-sdk/client-ec2");
    return (await clients.ec2()).send(new DeleteVolumeCommand({ VolumeId: id }));
  },
};
