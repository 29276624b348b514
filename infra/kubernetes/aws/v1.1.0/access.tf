locals {
  policies = {
    cluster-admin = "AmazonEKSClusterAdminPolicy"
    admin         = "AmazonEKSAdminPolicy"
    edit          = "AmazonEKSEditPolicy"
    view          = "AmazonEKSViewPolicy"
  }
}

locals {
  # The creator installs add-ons and must remain an administrator, whatever the user grants to the same role.
  creator = var.creator_arn == null ? {} : {
    (var.creator_arn) = { policy = "cluster-admin", namespaces = toset([]), groups = try(var.access_entries[var.creator_arn].groups, toset([])) }
  }
  access_entries = merge(var.access_entries, local.creator)
}

resource "aws_eks_access_entry" "this" {
  for_each          = local.access_entries
  cluster_name      = aws_eks_cluster.this.name
  principal_arn     = each.key
  kubernetes_groups = each.value.groups
  tags              = merge(local.tags, { "cloudwright:part" = "this/${each.key}" })
}

resource "aws_eks_access_policy_association" "this" {
  for_each      = { for arn, entry in local.access_entries : arn => entry if entry.policy != null }
  cluster_name  = aws_eks_cluster.this.name
  principal_arn = aws_eks_access_entry.this[each.key].principal_arn
  policy_arn    = "arn:${local.partition}:eks::aws:cluster-access-policy/${local.policies[each.value.policy]}"
  access_scope {
    type       = length(each.value.namespaces) > 0 ? "namespace" : "cluster"
    namespaces = each.value.namespaces
  }
}

# EKS grants access to nodes of managed node groups, but not to Karpenter's nodes.
resource "aws_eks_access_entry" "karpenter_nodes" {
  for_each      = local.with_karpenter
  cluster_name  = aws_eks_cluster.this.name
  principal_arn = local.karpenter_node_role_arn
  type          = "EC2_LINUX"
  tags          = merge(local.tags, { "cloudwright:part" = "karpenter_nodes/${each.key}" })
}

locals {
  own_identities = merge(
    { for name, addon in local.addon_roles : addon.service_account => one([for key, role in aws_iam_role.addon : role.arn if key == name]) },
    contains(keys(var.addons), "aws-ebs-csi-driver") ? { "kube-system/ebs-csi-controller-sa" = local.ebs_csi_role_arn } : {},
    var.load_balancer_controller ? { "kube-system/aws-load-balancer-controller" = local.load_balancer_role_arn } : {},
    var.karpenter.enabled ? { "${var.karpenter.namespace}/${var.karpenter.service_account}" = local.karpenter_role_arn } : {},
  )
}

resource "aws_eks_pod_identity_association" "this" {
  for_each        = merge(local.own_identities, var.pod_identities)
  cluster_name    = aws_eks_cluster.this.name
  namespace       = split("/", each.key)[0]
  service_account = split("/", each.key)[1]
  role_arn        = each.value
  tags            = merge(local.tags, { "cloudwright:part" = "this/${each.key}" })
}
