locals {
  made = {
    cluster                  = toset(var.roles.cluster == null ? ["made"] : [])
    nodes                    = toset(var.roles.nodes == null ? ["made"] : [])
    ebs_csi                  = toset(contains(keys(var.addons), "aws-ebs-csi-driver") && var.roles.ebs_csi == null ? ["made"] : [])
    load_balancer_controller = toset(var.load_balancer_controller && var.roles.load_balancer_controller == null ? ["made"] : [])
  }
  cluster_role_arn       = var.roles.cluster == null ? one([for role in aws_iam_role.cluster : role.arn]) : var.roles.cluster
  node_role_arn          = var.roles.nodes == null ? one([for role in aws_iam_role.nodes : role.arn]) : var.roles.nodes
  ebs_csi_role_arn       = var.roles.ebs_csi == null ? one(values(aws_iam_role.ebs_csi)[*].arn) : var.roles.ebs_csi
  load_balancer_role_arn = var.roles.load_balancer_controller == null ? one(values(aws_iam_role.load_balancer_controller)[*].arn) : var.roles.load_balancer_controller
  every_node_policy      = ["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonSSMManagedInstanceCore"]
  # Pull permission would suffice, but clusters created with v0.1.0 have this policy, and Terraform cannot remove it while it replaces
  # nodes.
  node_policies = concat(local.every_node_policy, ["AmazonEC2ContainerRegistryReadOnly"])
}

data "aws_iam_policy_document" "trust" {
  for_each = toset(["eks", "ec2"])
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["${each.key}.${each.key == "ec2" ? data.aws_partition.this.dns_suffix : "amazonaws.com"}"]
    }
  }
}

data "aws_iam_policy_document" "pod_trust" {
  statement {
    actions = ["sts:AssumeRole", "sts:TagSession"]
    principals {
      type        = "Service"
      identifiers = ["pods.eks.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "cluster" {
  for_each             = local.made.cluster
  name                 = "${local.name}-cluster"
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary_arn
  assume_role_policy   = data.aws_iam_policy_document.trust["eks"].json
  tags                 = merge(local.tags, { "cloudwright:part" = "cluster/${each.key}" })
}

resource "aws_iam_role_policy_attachment" "cluster" {
  for_each   = local.made.cluster
  role       = aws_iam_role.cluster[each.key].name
  policy_arn = "${local.policy}/AmazonEKSClusterPolicy"
}

resource "aws_iam_role_policy" "cluster" {
  for_each = local.made.cluster
  name     = "secrets"
  role     = aws_iam_role.cluster[each.key].name
  # The policy is not a data source, because Terraform would read a data source again, and show a change, whenever the key
  # changes.
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect   = "Allow"
        Action   = ["kms:Encrypt", "kms:Decrypt", "kms:ListGrants", "kms:DescribeKey"]
        Resource = local.key_arn
      },
      {
        # Only this configuration may create and delete the log group. Without this rule, EKS would recreate the group after its
        # deletion.
        Effect   = "Deny"
        Action   = ["logs:CreateLogGroup"]
        Resource = "arn:${local.partition}:logs:${var.region}:${local.account}:log-group:${local.log_group}*"
      },
    ]
  })
}

resource "aws_iam_role" "nodes" {
  for_each             = local.made.nodes
  name                 = "${local.name}-nodes"
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary_arn
  assume_role_policy   = data.aws_iam_policy_document.trust["ec2"].json
  tags                 = merge(local.tags, { "cloudwright:part" = "nodes/${each.key}" })
}

resource "aws_iam_role_policy_attachment" "nodes" {
  for_each   = toset(var.roles.nodes == null ? local.node_policies : [])
  role       = aws_iam_role.nodes["made"].name
  policy_arn = "${local.policy}/${each.key}"
}

resource "aws_iam_role" "ebs_csi" {
  for_each             = local.made.ebs_csi
  name                 = "${local.name}-ebs-csi"
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary_arn
  assume_role_policy   = data.aws_iam_policy_document.pod_trust.json
  tags                 = merge(local.tags, { "cloudwright:part" = "ebs_csi/${each.key}" })
}

resource "aws_iam_role_policy_attachment" "ebs_csi" {
  for_each   = local.made.ebs_csi
  role       = aws_iam_role.ebs_csi[each.key].name
  policy_arn = "${local.policy}/service-role/AmazonEBSCSIDriverPolicy"
}

resource "aws_iam_role" "load_balancer_controller" {
  for_each             = local.made.load_balancer_controller
  name                 = "${local.name}-load-balancers"
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary_arn
  assume_role_policy   = data.aws_iam_policy_document.pod_trust.json
  tags                 = merge(local.tags, { "cloudwright:part" = "load_balancer_controller/${each.key}" })
}

resource "aws_iam_role_policy" "load_balancer_controller" {
  for_each = local.made.load_balancer_controller
  name     = "load-balancers"
  role     = aws_iam_role.load_balancer_controller[each.key].name
  policy   = data.aws_iam_policy_document.load_balancer_controller.json
}

locals {
  # Service accounts of EKS add-ons that call AWS, each with the policy that AWS publishes for it.
  known_addon_roles = {
    efs-csi      = { addon = "aws-efs-csi-driver", service_account = "kube-system/efs-csi-controller-sa", policy = "service-role/AmazonEFSCSIDriverPolicy" }
    cloudwatch   = { addon = "amazon-cloudwatch-observability", service_account = "amazon-cloudwatch/cloudwatch-agent", policy = "CloudWatchAgentServerPolicy" }
    adot-metrics = { addon = "adot", service_account = "opentelemetry-operator-system/adot-col-prom-metrics", policy = "AmazonPrometheusRemoteWriteAccess" }
    adot-traces  = { addon = "adot", service_account = "opentelemetry-operator-system/adot-col-otlp-ingest", policy = "AWSXrayWriteOnlyAccess" }
    adot-logs    = { addon = "adot", service_account = "opentelemetry-operator-system/adot-col-container-logs", policy = "CloudWatchAgentServerPolicy" }
  }
  # A role that the user assigns to the service account takes precedence.
  addon_roles = { for name, role in local.known_addon_roles : name => role if contains(keys(var.addons), role.addon) && !contains(keys(var.pod_identities), role.service_account) }
}

resource "aws_iam_role" "addon" {
  for_each             = local.addon_roles
  name                 = "${local.name}-${each.key}"
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary_arn
  assume_role_policy   = data.aws_iam_policy_document.pod_trust.json
  tags                 = merge(local.tags, { "cloudwright:part" = "addon/${each.key}" })
}

resource "aws_iam_role_policy_attachment" "addon" {
  for_each   = local.addon_roles
  role       = aws_iam_role.addon[each.key].name
  policy_arn = "${local.policy}/${each.value.policy}"
}
