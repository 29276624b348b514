export const accountSpec = {
  aws: {
    accountId: "123456789012",
    accessKeyId: "",
    roleArn: "arn:aws:iam::123456789012:role/cloudwright",
    agentCredentials: true,
    webIdentity: false,
    sessionPolicy: "",
  },
  simulated: false,
};
const infra = {
  version: "v1.0.0",
  approval: "",
  drift: "correct",
  ignore: [{ address: "aws_subnet.private", path: 'tags["team"]', owner: "finance" }],
  overrides: { resource: { aws_vpc: { main: { enable_dns_support: true } } } },
};
export const networkSpec = {
  account: "sandbox",
  region: "eu-west-1",
  cidr: "10.1.0.0/16",
  zones: ["a", "b"],
  subnets: { public: ["10.1.0.0/24"], private: ["10.1.1.0/24", "10.1.2.0/23"], intra: ["10.1.255.240/28"] },
  nat: "single",
  infra,
  aws: {
    loadBalancerIps: 2,
    flowLogs: true,
    flowLogRetentionDays: 30,
    interfaceEndpoints: ["ecr.api"],
    withoutS3Endpoint: false,
    peers: ["10.9.0.0/16"],
    aclRules: [
      {
        number: 10,
        subnets: "public",
        direction: "in",
        action: "deny",
        protocol: "tcp",
        fromPort: 22,
        toPort: 22,
        cidr: "192.0.2.0/24",
      },
    ],
  },
};
const role = "arn:aws:iam::123456789012:role/nodes";
export const clusterSpec = {
  network: "main",
  version: "1.34",
  workers: 3,
  instanceType: "m6i.large",
  endpoint: { public: true, publicCidrs: ["192.0.2.0/24"] },
  networking: { podCidr: "", serviceCidr: "172.17.0.0/16" },
  addOns: [{ name: "coredns", version: "", configuration: '{"replicaCount":3}', disabled: false }],
  controlPlaneNodes: 0,
  aws: {
    karpenter: { enabled: true },
    eksRoleArn: "",
    nodeRoleArn: role,
    logTypes: ["api", "audit"],
    logRetentionDays: 0,
    kmsKeyArn: "",
    accessEntries: [{ principalArn: role, policy: "edit", namespaces: ["shop"], groups: ["devs"] }],
    ebsCsiRoleArn: "",
    loadBalancerControllerRoleArn: "",
    karpenterRoleArn: "",
    karpenterNodeRoleArn: "",
    podIdentities: [{ namespace: "shop", serviceAccount: "web", roleArn: role }],
  },
};
export const poolSpec = {
  instanceType: "c6i.xlarge",
  min: 1,
  desired: 2,
  max: 5,
  nodeLabels: { tier: "batch" },
  taints: [{ key: "batch", value: "yes", effect: "NoSchedule" }],
  zones: ["b"],
  capacity: "spot",
  diskSizeGib: 80,
};
export const bucketSpec = {
  cluster: "dev",
  bucket: {
    versioning: true,
    expireAfterDays: 365,
    forceDestroy: true,
    encryptionKey: "",
    lifecycleRules: [
      {
        id: "cold",
        prefix: "logs/",
        expireAfterDays: 300,
        expireNoncurrentAfterDays: 30,
        abortUploadsAfterDays: 7,
        transitions: [{ afterDays: 60, storageClass: "GLACIER" }],
      },
    ],
    replication: { bucket: "arn:aws:s3:::copies", prefix: "", storageClass: "STANDARD_IA", encryptionKey: "" },
  },
};
export const volumeSpec = {
  cluster: "dev",
  volume: { sizeGib: 20, type: "gp3", zone: "a", iops: 4000, throughputMib: 250, encryptionKey: "" },
};

export const instanceSpec = {
  network: "main",
  account: "sandbox",
  machineType: "t3.micro",
  image: "ubuntu-24.04",
  sshKeys: ["ops"],
  user: "",
  zone: "a",
  subnet: "",
  rootDisk: { sizeGib: 20, encrypted: true, kmsKey: "" },
  metadataTokens: "required",
  publicAddress: false,
  running: true,
  hostKeys: [],
  provisioner: "direct",
  aws: { securityGroupIds: ["sg-0123456789abcdef0"] },
};
export const groupSpec = {
  network: "lan",
  description: "web servers",
  rules: [
    { direction: "ingress", protocol: "tcp", fromPort: 22, toPort: 22, cidr: "10.0.0.0/8", group: "" },
    { direction: "ingress", protocol: "tcp", fromPort: 5432, toPort: 5432, cidr: "", group: "db" },
    { direction: "egress", protocol: "all", fromPort: 0, toPort: 0, cidr: "", group: "self" },
  ],
};
export const diskSpec = { account: "rack", sizeGib: 20, instance: "web" };
export const sshKeySpec = { publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ops" };

export const outputs = {
  network: {
    network_id: "vpc-1",
    cidr: "10.1.0.0/16",
    zones: ["eu-west-1a", "eu-west-1b"],
    public_subnet_ids: ["subnet-1"],
    private_subnet_ids: ["subnet-2", "subnet-3"],
    intra_subnet_ids: [],
    infra_version: "v1.0.0",
    lock_file: "# locked\n",
  },
  cluster: {
    cluster_name: "dev-0000000c",
    endpoint: "https://cluster.test",
    certificate_authority: "Y2E=",
    version: "1.32",
    ready_nodes: 3,
    addon_versions: { coredns: "v1.11.4" },
  },
};
