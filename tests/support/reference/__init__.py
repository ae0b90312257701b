"""Published algorithms written down a second time, slowly and plainly, to compare with."""
