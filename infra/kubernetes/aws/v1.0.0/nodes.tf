locals {
  workers = length(var.private_subnet_ids) > 0 ? var.private_subnet_ids : var.public_subnet_ids
  # Graviton instance types have a g among the letters after the generation number. The first Graviton type, a1, is an exception.
  is_arm = { for name, pool in var.node_pools : name => can(regex("^(a1|[a-z]+[0-9]+[a-z]*g[a-z]*)\\.", pool.instance_type)) }
  # Instance types with NVIDIA GPUs need an image with drivers. g4ad has AMD GPUs.
  has_gpu   = { for name, pool in var.node_pools : name => can(regex("^(g|gr|p)[0-9]", pool.instance_type)) && !startswith(pool.instance_type, "g4ad.") }
  effects   = { NoSchedule = "NO_SCHEDULE", PreferNoSchedule = "PREFER_NO_SCHEDULE", NoExecute = "NO_EXECUTE" }
  picky     = { for name, pool in var.node_pools : name => pool.zones if length(pool.zones) > 0 }
  subnet_of = { for name in keys(var.node_pools) : name => contains(keys(local.picky), name) ? data.aws_subnets.pool[name].ids : local.workers }
}

# The worker subnets in the zones of each pool.
data "aws_subnets" "pool" {
  for_each = local.picky
  filter {
    name   = "subnet-id"
    values = local.workers
  }
  filter {
    name   = "availability-zone"
    values = each.value
  }
  dynamic "filter" {
    for_each = var.vpc_id == null ? [] : [var.vpc_id]
    content {
      name   = "vpc-id"
      values = [filter.value]
    }
  }
}

resource "aws_launch_template" "pool" {
  for_each               = var.node_pools
  name                   = "${local.name}-${each.key}"
  update_default_version = true
  metadata_options {
    http_endpoint = "enabled"
    http_tokens   = "required"
    # With a hop limit of 1, pods with their own IP address cannot reach the metadata service and impersonate the node.
    http_put_response_hop_limit = 1
  }
  # Bottlerocket reserves the first disk for the system. The second one holds images, logs and pod volumes.
  block_device_mappings {
    device_name = "/dev/xvdb"
    ebs {
      volume_size           = each.value.disk_size_gib
      volume_type           = "gp3"
      encrypted             = "true"
      delete_on_termination = "true"
    }
  }
  # The user's tags are omitted, because changing them would replace every node.
  dynamic "tag_specifications" {
    for_each = ["instance", "volume", "network-interface"]
    content {
      resource_type = tag_specifications.value
      tags          = merge(local.owned, { Name = "${local.name}-${each.key}" })
    }
  }
  tags = merge(local.tags, { "cloudwright:part" = "pool/${each.key}" })
}

# If an autoscaler controls the number of nodes, list scaling_config[0].desired_size in the entity's `spec.infra.ignore`.
resource "aws_eks_node_group" "pool" {
  for_each     = var.node_pools
  cluster_name = aws_eks_cluster.this.name
  # A new name for each group allows creating the replacement before the old group is deleted. The provider appends 26 digits.
  node_group_name_prefix = "${trimsuffix(substr(each.key, 0, 36), "-")}-"
  node_role_arn          = local.node_role_arn
  subnet_ids             = local.subnet_of[each.key]
  version                = aws_eks_cluster.this.version
  instance_types         = [each.value.instance_type]
  ami_type               = "BOTTLEROCKET_${local.is_arm[each.key] ? "ARM_64" : "x86_64"}${local.has_gpu[each.key] ? "_NVIDIA" : ""}"
  capacity_type          = each.value.capacity == "spot" ? "SPOT" : "ON_DEMAND"
  labels                 = each.value.labels
  launch_template {
    id      = aws_launch_template.pool[each.key].id
    version = aws_launch_template.pool[each.key].latest_version
  }
  scaling_config {
    min_size     = each.value.min
    desired_size = each.value.desired
    max_size     = each.value.max
  }
  update_config {
    max_unavailable_percentage = 33
  }
  dynamic "taint" {
    for_each = each.value.taints
    content {
      key    = taint.value.key
      value  = taint.value.value
      effect = local.effects[taint.value.effect]
    }
  }
  tags = merge(local.tags, { "cloudwright:part" = "pool/${each.key}" })
  # Until the last node is deleted, nodes need their role's permissions and their network in order to join and drain.
  depends_on = [aws_iam_role_policy_attachment.nodes, aws_eks_addon.early]
  lifecycle {
    create_before_destroy = true
    precondition {
      condition     = length(local.subnet_of[each.key]) > 0
      error_message = "None of the worker subnets is in a zone of this pool."
    }
  }
}
