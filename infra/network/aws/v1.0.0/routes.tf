locals {
  # NAT gateways require a public subnet.
  nat_possible = sort(keys(local.public))
  nat_zones    = toset(var.nat == "none" ? [] : var.nat == "single" ? slice(local.nat_possible, 0, min(1, length(local.nat_possible))) : local.nat_possible)
  nat_of       = { for zone in keys(local.private) : zone => contains(local.nat_zones, zone) ? zone : try(sort(local.nat_zones)[0], null) }
}

resource "aws_eip" "nat" {
  for_each   = local.nat_zones
  domain     = "vpc"
  depends_on = [aws_internet_gateway.this]
  tags       = merge(local.tags, { Name = "${var.vpc_name}-nat-${each.key}", "cloudwright:part" = "nat/${each.key}" })
}

resource "aws_eip" "load_balancer" {
  for_each   = toset([for index in range(var.load_balancer_ips) : tostring(index)])
  domain     = "vpc"
  depends_on = [aws_internet_gateway.this]
  tags       = merge(local.tags, { Name = "${var.vpc_name}-load-balancer-${each.key}", "cloudwright:part" = "load_balancer/${each.key}" })
}

resource "aws_nat_gateway" "this" {
  for_each      = local.nat_zones
  allocation_id = aws_eip.nat[each.key].id
  subnet_id     = aws_subnet.public[each.key].id
  tags          = merge(local.tags, { Name = "${var.vpc_name}-${each.key}", "cloudwright:part" = "this/${each.key}" })
}

resource "aws_route_table" "public" {
  for_each = local.made
  vpc_id   = aws_vpc.this[each.key].id
  route {
    cidr_block = "0.0.0.0/0"
    gateway_id = aws_internet_gateway.this[each.key].id
  }
  tags = merge(local.tags, { Name = "${var.vpc_name}-public", "cloudwright:part" = "public/${each.key}" })
}

resource "aws_route_table" "private" {
  for_each = local.private
  vpc_id   = aws_vpc.this["network"].id
  dynamic "route" {
    for_each = local.nat_of[each.key] == null ? [] : [local.nat_of[each.key]]
    content {
      cidr_block     = "0.0.0.0/0"
      nat_gateway_id = aws_nat_gateway.this[route.value].id
    }
  }
  tags = merge(local.tags, { Name = "${var.vpc_name}-private-${each.key}", "cloudwright:part" = "private/${each.key}" })
}

resource "aws_route_table" "intra" {
  for_each = local.made
  vpc_id   = aws_vpc.this[each.key].id
  tags     = merge(local.tags, { Name = "${var.vpc_name}-intra", "cloudwright:part" = "intra/${each.key}" })
}

resource "aws_route_table_association" "public" {
  for_each       = local.public
  subnet_id      = aws_subnet.public[each.key].id
  route_table_id = aws_route_table.public["network"].id
}

resource "aws_route_table_association" "private" {
  for_each       = local.private
  subnet_id      = aws_subnet.private[each.key].id
  route_table_id = aws_route_table.private[each.key].id
}

resource "aws_route_table_association" "intra" {
  for_each       = local.intra
  subnet_id      = aws_subnet.intra[each.key].id
  route_table_id = aws_route_table.intra["network"].id
}
