# Each resource carries its name and key in the `cloudwright:part` tag. If a run is killed, the next run uses this tag to find the
# resources that were left behind.
data "aws_partition" "this" {}

locals {
  tags = merge(var.tags, {
    "cloudwright:project" = var.owner.project
    "cloudwright:entity"  = var.owner.entity
  })
  uid = replace(var.owner.entity, "-", "")
  # The last characters of a uid are random, so they make the name unique. Role names have at most 64 characters.
  name   = "${trimsuffix(substr(var.name, 0, 40), "-")}-${substr(local.uid, max(0, length(local.uid) - 8), -1)}"
  policy = "arn:${data.aws_partition.this.partition}:iam::aws:policy"
}

resource "aws_eks_cluster" "this" {
  name                      = local.name
  role_arn                  = local.cluster_role_arn
  version                   = var.kubernetes_version
  enabled_cluster_log_types = var.log_types
  vpc_config {
    subnet_ids              = var.subnets.control_plane
    endpoint_private_access = true
    endpoint_public_access  = var.endpoint.public
    public_access_cidrs     = var.endpoint.public ? var.endpoint.public_cidrs : null
  }
  access_config {
    authentication_mode                         = "API_AND_CONFIG_MAP"
    bootstrap_cluster_creator_admin_permissions = true
  }
  dynamic "kubernetes_network_config" {
    for_each = var.service_cidr == null ? [] : [var.service_cidr]
    content {
      service_ipv4_cidr = kubernetes_network_config.value
    }
  }
  tags       = merge(local.tags, { "cloudwright:part" = "this" })
  depends_on = [aws_iam_role_policy_attachment.cluster]
}

resource "aws_iam_openid_connect_provider" "this" {
  url            = aws_eks_cluster.this.identity[0].oidc[0].issuer
  client_id_list = ["sts.amazonaws.com"]
  tags           = merge(local.tags, { "cloudwright:part" = "this" })
}

resource "aws_eks_access_entry" "admin" {
  for_each      = var.admins
  cluster_name  = aws_eks_cluster.this.name
  principal_arn = each.key
  tags          = merge(local.tags, { "cloudwright:part" = "admin/${each.key}" })
}

resource "aws_eks_access_policy_association" "admin" {
  for_each      = var.admins
  cluster_name  = aws_eks_cluster.this.name
  principal_arn = aws_eks_access_entry.admin[each.key].principal_arn
  policy_arn    = "arn:${data.aws_partition.this.partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
  access_scope {
    type = "cluster"
  }
}
