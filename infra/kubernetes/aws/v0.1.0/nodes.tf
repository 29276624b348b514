locals {
  # Graviton instance types have a g after the generation number. Instance types that start with g have GPUs.
  is_arm    = { for name, pool in var.node_pools : name => can(regex("^[a-fh-z][a-z]*[0-9]+g[a-z]*\\.", pool.instance_type)) }
  effects   = { NoSchedule = "NO_SCHEDULE", PreferNoSchedule = "PREFER_NO_SCHEDULE", NoExecute = "NO_EXECUTE" }
  picky     = { for name, pool in var.node_pools : name => pool.zones if length(pool.zones) > 0 }
  subnet_of = { for name in keys(var.node_pools) : name => contains(keys(local.picky), name) ? data.aws_subnets.pool[name].ids : var.subnets.workers }
}

# The worker subnets in the zones of each pool.
data "aws_subnets" "pool" {
  for_each = local.picky
  filter {
    name   = "subnet-id"
    values = var.subnets.workers
  }
  filter {
    name   = "availability-zone"
    values = each.value
  }
}

resource "aws_eks_node_group" "pool" {
  for_each        = var.node_pools
  cluster_name    = aws_eks_cluster.this.name
  node_group_name = each.key
  node_role_arn   = local.node_role_arn
  subnet_ids      = local.subnet_of[each.key]
  version         = aws_eks_cluster.this.version
  instance_types  = [each.value.instance_type]
  ami_type        = local.is_arm[each.key] ? "BOTTLEROCKET_ARM_64" : "BOTTLEROCKET_x86_64"
  capacity_type   = each.value.capacity == "spot" ? "SPOT" : "ON_DEMAND"
  disk_size       = each.value.disk_size_gib
  labels          = each.value.labels
  scaling_config {
    min_size     = each.value.min
    desired_size = each.value.desired
    max_size     = each.value.max
  }
  dynamic "taint" {
    for_each = each.value.taints
    content {
      key    = taint.value.key
      value  = taint.value.value
      effect = local.effects[taint.value.effect]
    }
  }
  tags       = merge(local.tags, { "cloudwright:part" = "pool/${each.key}" })
  depends_on = [aws_iam_role_policy_attachment.nodes]
  lifecycle {
    precondition {
      condition     = length(local.subnet_of[each.key]) > 0
      error_message = "None of the worker subnets is in a zone of this pool."
    }
  }
}
