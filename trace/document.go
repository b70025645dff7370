package trace

func (d *blockDecoder) document() {}
