resource "aws_eip" "nat" {
  for_each   = local.nat_zones
  domain     = "vpc"
  depends_on = [aws_internet_gateway.this]
  tags       = merge(local.tags, { Name = "${var.name}-nat-${each.key}", "cloudwright:part" = "nat/${each.key}" })
}

resource "aws_nat_gateway" "this" {
  for_each      = local.nat_zones
  allocation_id = aws_eip.nat[each.key].id
  subnet_id     = aws_subnet.public[each.key].id
  tags          = merge(local.tags, { Name = "${var.name}-${each.key}", "cloudwright:part" = "this/${each.key}" })
}

resource "aws_route_table" "public" {
  vpc_id = aws_vpc.this.id
  route {
    cidr_block = "0.0.0.0/0"
    gateway_id = aws_internet_gateway.this.id
  }
  tags = merge(local.tags, { Name = "${var.name}-public", "cloudwright:part" = "public" })
}

resource "aws_route_table" "private" {
  for_each = local.private
  vpc_id   = aws_vpc.this.id
  dynamic "route" {
    for_each = local.nat_of[each.key] == null ? [] : [local.nat_of[each.key]]
    content {
      cidr_block     = "0.0.0.0/0"
      nat_gateway_id = aws_nat_gateway.this[route.value].id
    }
  }
  tags = merge(local.tags, { Name = "${var.name}-private-${each.key}", "cloudwright:part" = "private/${each.key}" })
}

resource "aws_route_table" "intra" {
  vpc_id = aws_vpc.this.id
  tags   = merge(local.tags, { Name = "${var.name}-intra", "cloudwright:part" = "intra" })
}

resource "aws_route_table_association" "public" {
  for_each       = local.public
  subnet_id      = aws_subnet.public[each.key].id
  route_table_id = aws_route_table.public.id
}

resource "aws_route_table_association" "private" {
  for_each       = local.private
  subnet_id      = aws_subnet.private[each.key].id
  route_table_id = aws_route_table.private[each.key].id
}

resource "aws_route_table_association" "intra" {
  for_each       = local.intra
  subnet_id      = aws_subnet.intra[each.key].id
  route_table_id = aws_route_table.intra.id
}
