# The tag `cloudwright:part` is the name and the key of a resource here: after a run that was killed, what was made is found by it.
data "aws_partition" "this" {}

data "aws_caller_identity" "this" {}

locals {
  owned = {
    "cloudwright:project" = var.owner.project
    "cloudwright:entity"  = var.owner.entity
  }
  tags = merge(var.tags, local.owned)
  uid  = replace(var.owner.entity, "-", "")
  # The end of a uid is random, its beginning is the time. Roles have at most 64 characters.
  name      = "${trimsuffix(substr(var.cluster_name, 0, 40), "-")}-${substr(local.uid, max(0, length(local.uid) - 8), -1)}"
  partition = data.aws_partition.this.partition
  account   = data.aws_caller_identity.this.account_id
  policy    = "arn:${local.partition}:iam::aws:policy"
  key_arn   = var.kms_key_arn == null ? aws_kms_key.secrets["made"].arn : var.kms_key_arn
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
    public_access_cidrs     = var.public_access && length(var.public_access_cidrs) > 0 ? var.public_access_cidrs : null
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
  # EKS acts in the role until the cluster is gone, and would make a log group of its own that nobody removes.
  depends_on = [aws_iam_role_policy_attachment.cluster, aws_iam_role_policy.cluster, aws_cloudwatch_log_group.cluster]
  lifecycle {
    # Of the first moment only: a cluster that came from v0.1.0 had add-ons of its own, and must not be made anew for that.
    ignore_changes = [bootstrap_self_managed_addons]
  }
}

resource "aws_kms_key" "secrets" {
  for_each                = toset(var.kms_key_arn == null ? ["made"] : [])
  description             = "Secrets of the cluster ${local.name}"
  enable_key_rotation     = true
  deletion_window_in_days = 7
  tags                    = merge(local.tags, { "cloudwright:part" = "secrets/${each.key}" })
}

resource "aws_kms_alias" "secrets" {
  for_each      = aws_kms_key.secrets
  name          = "alias/eks/${local.name}"
  target_key_id = each.value.key_id
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
