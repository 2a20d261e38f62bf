"""Titles, and what people type to find each."""

TYPED = {
    "准备春季发布会材料": ("发布会", "准备", "季", "料", "春季 材料"),
    "印刷CMYK校样": ("CMYK", "cmyk校样", "校样", "刷"),
    "春の新商品発表会準備": ("発表会", "新商品", "準備"),
    "チームのガイドライン": ("ガイド", "ライン"),
    "봄맞이행사준비회의": ("행사", "준비회의"),
    "เตรียมงานเปิดตัวสินค้า": ("เปิดตัว", "สินค้า"),
    "Die Straße nach Größe": ("strasse", "STRASSE", "Straße", "stras", "grosse", "GRÖSSE"),
    "İstanbul’da ısı": ("istanbul", "İSTANBUL", "isi"),
    "La Forêt de Łódź": ("foret", "FORÊT", "lodz", "for\u0065\u0302t"),
    "Smørrebrød, Æbler": ("smorrebrod", "aebler", "ÆBLER"),
}
"""Each title with words by which search, filters and the finder find it, and no other title of these."""

APART = ("布会春", "发会", "表発", "사행", "ตัวเปิด", "カイド", "traße", "odz")
"""Words by which search finds none of them: letters in another order, other letters, and ends of Latin words."""
