# Each resource carries its name and key in the `cloudwright:part` tag. If a run is killed, the next run uses this tag to find the
# resources that were left behind.
data "aws_partition" "this" {}

data "aws_caller_identity" "this" {}

locals {
  owned = {
    "cloudwright:project" = var.owner.project
    "cloudwright:entity"  = var.owner.entity
  }
  tags = merge(var.tags, local.owned)
  uid  = replace(var.owner.entity, "-", "")
  # The last characters of a uid are random, so they make the name unique. Role names have at most 64 characters.
  name      = "${trimsuffix(substr(var.cluster_name, 0, 40), "-")}-${substr(local.uid, max(0, length(local.uid) - 8), -1)}"
  partition = data.aws_partition.this.partition
  account   = data.aws_caller_identity.this.account_id
  policy    = "arn:${local.partition}:iam::aws:policy"
  made_key  = toset(var.kms_key_arn == null ? ["made"] : [])
  key_arn   = var.kms_key_arn == null ? one([for key in aws_kms_key.secrets : key.arn]) : var.kms_key_arn
}

resource "aws_eks_cluster" "this" {
  name                          = local.name
  role_arn                      = local.cluster_role_arn
  version                       = var.cluster_version
  enabled_cluster_log_types     = var.log_types
  bootstrap_self_managed_addons = false
  vpc_config {
    subnet_ids              = var.controlplane_subnet_ids
    endpoint_private_access = true
    endpoint_public_access  = var.public_access
    # Always set explicitly, because EKS keeps the current ranges if none are given.
    public_access_cidrs = !var.public_access ? null : length(var.public_access_cidrs) > 0 ? var.public_access_cidrs : ["0.0.0.0/0"]
  }
  access_config {
    authentication_mode                         = "API_AND_CONFIG_MAP"
    bootstrap_cluster_creator_admin_permissions = true
  }
  encryption_config {
    resources = ["secrets"]
    provider {
      key_arn = local.key_arn
    }
  }
  dynamic "kubernetes_network_config" {
    for_each = var.service_cidr == null ? [] : [var.service_cidr]
    content {
      service_ipv4_cidr = kubernetes_network_config.value
    }
  }
  tags = merge(local.tags, { "cloudwright:part" = "this" })
  # EKS uses the role until the cluster is deleted. Without the log group, EKS would create one that is never deleted.
  depends_on = [aws_iam_role_policy_attachment.cluster, aws_iam_role_policy.cluster, aws_cloudwatch_log_group.cluster]
  lifecycle {
    # These arguments apply only at creation, and EKS does not return them. A difference in them must not replace a cluster that was created
    # by v0.1.0 or imported after an interrupted run.
    ignore_changes = [bootstrap_self_managed_addons, access_config[0].bootstrap_cluster_creator_admin_permissions]
  }
}

resource "aws_kms_key" "secrets" {
  for_each                = local.made_key
  description             = "Secrets of the cluster ${local.name}"
  enable_key_rotation     = true
  deletion_window_in_days = 7
  tags                    = merge(local.tags, { "cloudwright:part" = "secrets/${each.key}" })
}

resource "aws_kms_alias" "secrets" {
  # Does not refer to the key resource, so that after an interrupted run the alias can be imported before the key.
  for_each      = local.made_key
  name          = "alias/eks/${local.name}"
  target_key_id = aws_kms_key.secrets[each.key].key_id
}

resource "aws_cloudwatch_log_group" "cluster" {
  for_each          = toset(length(var.log_types) > 0 ? ["made"] : [])
  name              = "/aws/eks/${local.name}/cluster"
  retention_in_days = var.log_retention_days
  tags              = merge(local.tags, { "cloudwright:part" = "cluster/${each.key}" })
}

resource "aws_iam_openid_connect_provider" "this" {
  url            = aws_eks_cluster.this.identity[0].oidc[0].issuer
  client_id_list = ["sts.amazonaws.com"]
  tags           = merge(local.tags, { "cloudwright:part" = "this" })
}
